import {
  type Clock,
  checkOptions,
  type OptionKinds,
  PawlError,
  systemClock,
  type UserDataSource,
} from "@pawl/core";
import { reporter, within } from "@pawl/core/tools";
import { checkLimits, clipped } from "../base/clipped.ts";
import { checkTag, fenced } from "../base/fenced.ts";

/** One section of the user data that `unifiedContext()` builds. */
export interface ContextSection<Deps = unknown> {
  /**
   * The tag around the section's text: a letter, then letters, digits, `_` and `-`. Tags that Pawl writes
   * itself, e.g. `knowledge`, are refused.
   */
  tag: string;
  /**
   * Returns the section's text. If it is `null`, `undefined` or blank, the section is left out. Throw to
   * report an error.
   */
  fetch: (source: UserDataSource<Deps>) => string | null | undefined | Promise<string | null | undefined>;
  /** The longest text that the model reads, in characters. A longer one is cut. Default: 20,000. */
  maxChars?: number;
  /** Time limit of `fetch`, in milliseconds. Default: the `timeoutMs` of the whole context. */
  timeoutMs?: number;
}

/** The size and the outcome of one section. */
export interface SectionReport {
  /** The section's tag. */
  tag: string;
  /** The length of the section with its tag, in characters; 0 if it was left out. */
  chars: number;
  /** Whether the section was cut to its maximum length. */
  isClipped: boolean;
  /** Whether the section threw or took too long. */
  hasFailed: boolean;
}

/** The size of a context, and how long it took to build. Lengths are in characters. */
export interface ContextReport {
  /** The length of the context, in characters. */
  chars: number;
  /** The estimated tokens: one per four characters. */
  estimatedTokens: number;
  /** How long it took to build the context, in milliseconds. */
  durationMs: number;
  /** One report per section, in the order of the options. */
  sections: SectionReport[];
}

/** Options of `unifiedContext()`. */
export interface UnifiedContextOptions<Deps = unknown> {
  /** The sections, in the order in which the model reads them. */
  sections: readonly ContextSection<Deps>[];
  /**
   * Time limit of each section, in milliseconds. It must be shorter than the agent's `userData.timeoutMs`, or
   * the whole context may be lost. Default: 3,000.
   */
  timeoutMs?: number;
  /** Called if a section fails or takes too long. Default: prints the error to the console. */
  onError?: (error: unknown, section: { tag: string }, source: UserDataSource<Deps>) => void;
  /** Called after every context was built, e.g. to monitor its size. */
  onBuilt?: (report: ContextReport) => void;
  /** The clock for time limits. Default: the system's clock. */
  clock?: Clock;
}

const OPTIONS: OptionKinds<UnifiedContextOptions> = {
  sections: "list!",
  timeoutMs: "number",
  onError: "function",
  onBuilt: "function",
  clock: "object",
};

const SECTION: OptionKinds<ContextSection> = {
  tag: "string!",
  fetch: "function!",
  maxChars: "number",
  timeoutMs: "number",
};

/**
 * Makes the `read` of an agent's `userData` from several sections, which are fetched concurrently. The model
 * reads them in the order of the list, each in a tag that its text cannot close. A section that fails or
 * takes too long is left out and reported.
 *
 * @throws PawlError `config` if a tag is invalid, reserved or used twice, or a limit is not a whole number
 * from 1.
 *
 * @example
 * ```ts
 * import { agent, memoryStore, runtime } from "@pawl/core";
 * import { unifiedContext } from "@pawl/knowledge";
 * import { strictModel } from "@pawl/testing";
 *
 * const model = strictModel({ script: [{ text: "Good morning." }] });
 * const read = unifiedContext({
 *   sections: [
 *     { tag: "profile", fetch: ({ session }) => `Name: ${session.userId}` },
 *     { tag: "goals", fetch: async () => "Sleep more." },
 *   ],
 * });
 * const coach = agent({ name: "coach", model, instructions: "You are a coach.", userData: { read } });
 * await runtime({ agents: [coach], store: memoryStore() }).run("coach", { userId: "Ada", input: "Hi" })
 *   .result;
 * console.log(model.requests[0]?.system);
 * // … <user_data><profile>Name: Ada</profile><goals>Sleep more.</goals></user_data>
 * ```
 */
export function unifiedContext<Deps = unknown>(
  options: UnifiedContextOptions<Deps>,
): (source: UserDataSource<Deps>) => Promise<string> {
  checkOptions("unifiedContext()", options, OPTIONS);
  const { sections, timeoutMs = 3_000, clock = systemClock } = options;
  const { onError = (error, { tag }) => console.error(`context, ${tag}: ${PawlError.describe(error)}`) } =
    options;
  const reportError = reporter("onError", onError);
  const reportBuilt = reporter("onBuilt", options.onBuilt ?? (() => undefined));
  checkSections(sections);
  checkLimits("a context", { timeoutMs });
  const tags = sections.map(({ tag }) => tag);

  return async (source) => {
    const startedAt = clock.now();
    const settled = await Promise.allSettled(
      sections.map(({ fetch, timeoutMs: own = timeoutMs }) =>
        within({ signal: source.signal, timeoutMs: own, clock }, async (signal) =>
          asText(await fetch({ ...source, signal })),
        ),
      ),
    );
    const built = sections.map(({ tag, maxChars = MAX_CHARS }, at) => {
      const outcome = settled[at] as PromiseSettledResult<string>;
      const hasFailed = outcome.status === "rejected";
      if (hasFailed) reportError(outcome.reason, { tag }, source);
      const whole = hasFailed ? "" : outcome.value;
      const text = fenced(tag, clipped(whole, maxChars), tags);
      return { text, report: { tag, chars: text.length, isClipped: whole.length > maxChars, hasFailed } };
    });
    const text = built.flatMap((section) => (section.text === "" ? [] : [section.text])).join("\n");
    const durationMs = clock.now() - startedAt;
    const reports = built.map(({ report }) => report);
    const size = { chars: text.length, estimatedTokens: Math.ceil(text.length / 4), durationMs };
    reportBuilt({ ...size, sections: reports });
    return text;
  };
}

/** The default of `maxChars`, in characters. */
const MAX_CHARS = 20_000;

function asText(text: unknown): string {
  if (text === null || text === undefined) return "";
  if (typeof text !== "string")
    throw new TypeError("`fetch` of a section must return a string, null or undefined.");
  return text;
}

function checkSections<Deps>(sections: readonly ContextSection<Deps>[]): void {
  const seen = new Set<string>();
  for (const section of sections) {
    checkOptions("A section of unifiedContext()", section, SECTION, { instead: { name: "Use `tag`." } });
    const { tag, maxChars, timeoutMs } = section;
    checkTag(tag, "a section of a context");
    // Tags are compared without case, because models ignore the case of tags.
    if (seen.has(tag.toLowerCase()))
      throw new PawlError("config", `Two sections of a context have the tag <${tag}>; each needs its own.`);
    seen.add(tag.toLowerCase());
    checkLimits(`the section <${tag}>`, { maxChars, timeoutMs });
  }
}
