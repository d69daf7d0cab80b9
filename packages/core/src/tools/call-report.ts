import { checkOptions, kindOf, type OptionKinds } from "../base/check-options.ts";
import { invalidInput } from "../base/invalid-input.ts";
import { isBlank } from "../base/text.ts";
import { centsFromUsd } from "../base/usd.ts";
import { withoutKeys } from "../base/without-keys.ts";
import type { EventData } from "../log/event-data.ts";
import type { SourceReference } from "../log/stored-report.ts";
import { tokensOf } from "../log/tokens.ts";
import { noUsage } from "../model/pricing.ts";
import type { ToolContext } from "./tool.ts";

/** The argument of `context.report()`: facts that a tool reports about its call. */
export type GivenReport = Parameters<ToolContext["report"]>[0];

/** All facts that a tool has reported about its call so far. The lists are copies of the tool's. */
export type CallReport = Omit<GivenReport, "fragments" | "sources"> & {
  fragments?: string[];
  sources?: SourceReference[];
};

const OPTIONS: OptionKinds<GivenReport> = {
  costUsd: "number",
  connector: "string",
  fragments: "list",
  sources: "list",
  summary: "string",
};

/** The highest cost of one call, in US dollars, so that sums of costs stay finite in every store. */
const MOST_REPORTED_USD = 1_000_000;

/** The longest name of a connector or a fragment, in UTF-16 code units. */
const MOST_NAME_CHARS = 200;

/** The most fragments, and the most sources, of a call. */
export const MOST_FRAGMENTS = 1_000;

/** The longest summary, in UTF-16 code units. */
const MOST_SUMMARY_CHARS = 1_000;

/**
 * Adds facts to the report of a call, and returns the new report. The last value of each field counts.
 *
 * @throws PawlError `invalid_input` for unknown fields and invalid values.
 */
export function addedReport(report: CallReport, facts: GivenReport): CallReport {
  checkOptions("context.report()", facts, OPTIONS, { code: "invalid_input" });
  const { costUsd, connector, fragments, sources, summary } = facts;
  if (costUsd !== undefined) checkCost(costUsd);
  if (connector !== undefined) checkShortName("connector", connector);
  if (fragments !== undefined && fragments.length > MOST_FRAGMENTS)
    throw invalidInput(`\`fragments\` must have at most ${MOST_FRAGMENTS} ids; got ${fragments.length}.`);
  for (const id of fragments ?? []) checkShortName("fragments", id);
  if (sources !== undefined && sources.length > MOST_FRAGMENTS)
    throw invalidInput(`\`sources\` must have at most ${MOST_FRAGMENTS} entries; got ${sources.length}.`);
  return {
    ...report,
    ...(costUsd !== undefined && { costUsd }),
    ...(connector !== undefined && { connector }),
    ...(fragments !== undefined && { fragments: [...fragments] }),
    ...(sources !== undefined && { sources: sources.map(checkedSource) }),
    ...(summary !== undefined && { summary: summary.slice(0, MOST_SUMMARY_CHARS).toWellFormed() }),
  };
}

function checkedSource(source: SourceReference): SourceReference {
  const { id, title, url } = Object(source) as Partial<SourceReference>;
  if (!isShortText(id) || !isShortText(title) || (url !== undefined && !isWebAddress(url)))
    throw invalidInput(
      `Each of \`sources\` must have an \`id\` and a \`title\` of 1 to ${MOST_SUMMARY_CHARS} characters, and may have a \`url\` that begins with http:// or https://; got ${JSON.stringify(source)?.slice(0, 200)}.`,
    );
  return { id, title, ...(url !== undefined && { url }) };
}

function isShortText(text: unknown): text is string {
  return (
    typeof text === "string" && !isBlank(text) && text.length <= MOST_SUMMARY_CHARS && text.isWellFormed()
  );
}

/** The longest web address of a source, in UTF-16 code units. */
const MOST_ADDRESS_CHARS = 4_000;

function isWebAddress(url: unknown): url is string {
  return (
    typeof url === "string" &&
    url.length <= MOST_ADDRESS_CHARS &&
    /^https?:\/\/./i.test(url) &&
    url.isWellFormed()
  );
}

function checkCost(costUsd: number): void {
  if (!(costUsd >= 0 && costUsd <= MOST_REPORTED_USD))
    throw invalidInput(`\`costUsd\` must be a number from 0 to ${MOST_REPORTED_USD}; got ${costUsd}.`);
}

function checkShortName(field: string, name: unknown): void {
  if (typeof name === "string" && !isBlank(name) && name.length <= MOST_NAME_CHARS && name.isWellFormed())
    return;
  const [kind, example] =
    field === "fragments" ? ["a list of strings", '["doc-1"]'] : ["a string", '"gmail"'];
  throw invalidInput(
    `\`${field}\` must be ${kind} of 1 to ${MOST_NAME_CHARS} characters, e.g. ${example}; got ${describedName(name)}.`,
  );
}

/** Describes an invalid name for an error. */
function describedName(name: unknown): string {
  if (typeof name !== "string") return kindOf(name);
  if (isBlank(name)) return "one without visible characters";
  return name.isWellFormed() ? `one of ${name.length} characters` : "one with half a surrogate pair";
}

/**
 * Returns the fields of a call's `tool_result` event for the facts that its tool has reported. `code` is the
 * code of the error that the tool threw.
 */
export function reportFields(
  { costUsd, ...facts }: CallReport,
  code?: string,
): Pick<EventData["tool_result"], "report" | "spent"> {
  const report = { ...facts, ...(code !== undefined && { code }) };
  return {
    ...(costUsd !== undefined && { spent: { tokens: tokensOf(noUsage), cost_cents: centsFromUsd(costUsd) } }),
    ...(Object.keys(report).length > 0 && { report }),
  };
}

const CODE = /^[\w.-]{1,64}$/;

/** How many causes of an error are searched for a code. */
const MOST_CAUSES = 5;

/**
 * Returns the code of a thrown error, e.g. `ECONNREFUSED`, or else of its cause: `fetch` throws a TypeError
 * without a code. A code has 1 to 64 characters `A-Z a-z 0-9 _ . -` and does not look like an API key.
 * Returns `undefined` if there is no such code.
 */
export function errorCodeOf(thrown: unknown): string | undefined {
  try {
    let error = thrown;
    for (let depth = 0; depth <= MOST_CAUSES && typeof error === "object" && error !== null; depth += 1) {
      const { code, cause } = error as { code?: unknown; cause?: unknown };
      if (typeof code === "string" && CODE.test(code) && withoutKeys(code) === code) return code;
      error = cause;
    }
  } catch {
    // A getter of the error threw.
  }
  return undefined;
}
