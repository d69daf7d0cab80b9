import { COUNT, checkOptions, type OptionKinds } from "../base/check-options.ts";
import { LONGEST_TIMER_MS } from "../base/clock.ts";
import { PawlError } from "../base/errors.ts";
import type { Instead } from "../base/hints.ts";
import { hintsFor } from "../base/hints-for.ts";
import type { Schema } from "../schema/schema.ts";
import type { Suspends } from "./suspends.ts";
import type { ToolOptions } from "./tool-options.ts";

const OPTIONS: OptionKinds<Omit<ToolOptions<Schema, Schema, unknown>, keyof Instead<"tool">>> = {
  name: "string!",
  description: "string!",
  input: "any!",
  execute: "function",
  suspends: "object",
  runsIn: { mustBe: '"client", or left out', is: (value) => value === "client", isPublic: true },
  output: "any",
  expires: "object",
  format: "function",
  maxResultChars: COUNT,
  shortenInput: "any",
  status: "object",
  category: "string",
  timeoutMs: "number",
  idempotent: "boolean",
  repeatable: "boolean",
  dependsOn: "list",
  endsRun: "any",
};

const SUSPENDS: OptionKinds<Suspends<unknown, Schema>> = {
  answer: "any!",
  kind: "string",
  payload: "function",
  expires: "object",
};

const STATUS: OptionKinds<{ start?: string; done?: string }> = { start: "string", done: "string" };

const NAME = /^[a-zA-Z0-9_-]{1,64}$/;

/** The options of `tool()`, as far as the functions below read them. */
interface CheckedOptions {
  name: string;
  execute?: unknown;
  suspends?: unknown;
  runsIn?: unknown;
  output?: unknown;
  expires?: unknown;
  status?: unknown;
  timeoutMs?: number;
  idempotent?: unknown;
}

/** Checks the options of `tool()` except its schemas. @throws PawlError `config` */
export function checkToolOptions(options: CheckedOptions): void {
  const nameOption: unknown = Object(options).name;
  const whose = typeof nameOption === "string" ? `tool("${nameOption}")` : "tool()";
  checkOptions(whose, options, OPTIONS, { instead: hintsFor("tool") });
  const { name, execute, suspends, status, timeoutMs } = options;
  if (suspends !== undefined)
    checkOptions(`\`suspends\` of ${whose}`, suspends, SUSPENDS, { instead: { schema: "Use `answer`." } });
  if (status !== undefined) checkOptions(`\`status\` of ${whose}`, status, STATUS);
  if (!NAME.test(name)) {
    throw new PawlError("config", `"${name}" is not a valid tool name: use 1 to 64 letters, digits, _ or -.`);
  }
  checkPlace(options);
  if (execute === undefined && suspends === undefined && options.runsIn === undefined) {
    throw new PawlError(
      "config",
      `The tool "${name}" needs \`execute\`, or \`suspends\`, or both; or runsIn: "client".`,
    );
  }
  if (timeoutMs !== undefined && !(timeoutMs >= 1 && timeoutMs <= LONGEST_TIMER_MS)) {
    throw new PawlError(
      "config",
      `timeoutMs of the tool "${name}" must be from 1 to ${LONGEST_TIMER_MS}, not ${timeoutMs}; leave it out for no limit.`,
    );
  }
}

/**
 * Refuses `output` and `expires` for a tool that runs in this process. Refuses `execute`, `suspends`,
 * `timeoutMs` and `idempotent` for a tool that a page runs.
 */
function checkPlace({
  name,
  execute,
  suspends,
  runsIn,
  output,
  expires,
  timeoutMs,
  idempotent,
}: CheckedOptions): void {
  const refused = runsIn === undefined ? { output, expires } : { execute, suspends, timeoutMs, idempotent };
  const wrong = Object.entries(refused).find(([, value]) => value !== undefined)?.[0];
  if (wrong === undefined) return;
  throw new PawlError(
    "config",
    runsIn === undefined
      ? `\`${wrong}\` of tool("${name}") is only for tools with runsIn: "client"${wrong === "expires" ? "; a question has it in `suspends`." : "."}`
      : `tool("${name}") has runsIn: "client", so it cannot have \`${wrong}\`${INSTEAD_AT_CLIENT.get(wrong) ?? "."}`,
  );
}

/** The ends of error messages, by the option that a page's tool must not have. */
const INSTEAD_AT_CLIENT: ReadonlyMap<string, string> = new Map([
  ["execute", ": the page has it, e.g. useAgent({ tools }) of @pawl/client."],
  ["suspends", ": the schema of its result is `output`."],
  ["timeoutMs", ": use `expires`, with the result that the call then gets."],
  ["idempotent", ": after a reload, the page runs an open call again in any case."],
]);
