import {
  type Clock,
  checkOptions,
  checkPricing,
  type Hook,
  type ModelClient,
  type OptionKinds,
  PawlError,
  type RunContext,
  systemClock,
} from "@pawl/core";
import { checkNumbers, isLogFailure } from "@pawl/core/tools";
import { checkLimits } from "../base/clipped.ts";
import { errorReporter, type OnError } from "../base/failures.ts";
import { readLog, type SpokenIn } from "../log/read-log.ts";
import { byName, type DataSource } from "../sources/data-source.ts";
import { deliver } from "./deliver.ts";
import { checkGuidance, type TaskData } from "./prompt.ts";
import { select } from "./select.ts";
import type { Work } from "./work.ts";

/** Options of `initializer()`. */
export interface InitializerOptions<Deps = unknown> {
  /**
   * The model that chooses the sources. A small, fast one is enough, e.g. `openai("gpt-5.4-mini")` or
   * `claude("claude-haiku-4-5")`.
   */
  model: ModelClient;
  /** The sources from which the model chooses; at least one. */
  sources: readonly DataSource<Deps>[];
  /** Tells the model which task needs which data: as rows, or as your own text. Default: none. */
  guidance?: string | readonly TaskData[];
  /** Time limit of the model's choice, in milliseconds. Default: 8,000. */
  timeoutMs?: number;
  /** Time limit of each source without its own `timeoutMs`, in milliseconds. Default: 5,000. */
  sourceTimeoutMs?: number;
  /** The maximum length of the model's answer, in tokens. Default: 2,000. */
  maxTokens?: number;
  /** The number of earlier messages that the model reads besides the new ones. Default: 4. */
  earlierMessages?: number;
  /**
   * Returns the agent's text in an event, for agents that speak through tools. Default: the text of the
   * model's answers.
   */
  spoken?: SpokenIn;
  /** The hook's name, unique among the agent's hooks. Default: `initializer`. */
  name?: string;
  /** The clock for time limits. Default: the system's clock. */
  clock?: Clock;
  /**
   * Called with each error; the log has only error codes, because clients may see it. The error of a source
   * names the source and has the thrown value as its `cause`. Default: prints the error to the console.
   */
  onError?: OnError;
}

const OPTIONS: OptionKinds<InitializerOptions> = {
  model: {
    mustBe: 'a ModelClient, e.g. claude("claude-sonnet-5-5")',
    is: (model) => typeof Object(model).stream === "function",
    required: true,
  },
  sources: "list!",
  guidance: "any",
  timeoutMs: "number",
  sourceTimeoutMs: "number",
  maxTokens: "number",
  earlierMessages: "number",
  spoken: "function",
  name: "string",
  clock: "object",
  onError: "function",
};

/**
 * Makes a hook that fetches data for the agent when a run begins. A small model reads the user's message and
 * chooses from the sources. The chosen sources are fetched concurrently, and the data of each is stored as a
 * `knowledge` event with its params. A loaded source is fetched again only for a longer range or for fresh
 * data. Earlier data stays in the context.
 *
 * The log has the choice as `knowledge.selection` and errors as `knowledge.failed`. If the model or a source
 * fails, the run continues, and the agent answers with the loaded data. After a crash, a stored choice is
 * kept, and only missing sources are fetched.
 *
 * The small model's cost is stored as a `spending` event, together with its answer, so that a crash does not
 * cost a second one. It counts towards the run's limits and the session's totals. If the limits leave no room
 * for it, no sources are chosen.
 *
 * @throws PawlError `config` if `sources` is empty or has two sources with one name, `guidance` names an
 * unknown source, or a limit is invalid.
 *
 * @example
 * ```ts
 * import { agent, memoryStore, runtime } from "@pawl/core";
 * import { dataSource, initializer } from "@pawl/knowledge";
 * import { scriptedModel } from "@pawl/testing";
 *
 * const goals = dataSource({
 *   name: "goals",
 *   description: "What the user works towards.",
 *   fetch: () => "Run 10 km.",
 * });
 * const append_knowledge = [{ source: "goals", reason: "not_in_context", days_back: null }];
 * const small = scriptedModel([
 *   {
 *     tools: [
 *       {
 *         name: "select_knowledge",
 *         input: { reasoning: "A plan needs a goal.", append_knowledge, use_existing: [] },
 *       },
 *     ],
 *   },
 * ]);
 * const trainer = agent({
 *   name: "trainer",
 *   model: scriptedModel([{ text: "Then let us run." }]),
 *   instructions: "You are a trainer.",
 *   hooks: [
 *     initializer({ model: small, sources: [goals], guidance: [{ task: "Planning", sources: ["goals"] }] }),
 *   ],
 * });
 * const store = memoryStore();
 * const pawl = runtime({ agents: [trainer], store });
 * const { sessionId } = await pawl.run("trainer", { userId: "ada", input: "Make me a plan" }).result;
 * for await (const { data } of store.read(sessionId, { types: ["knowledge"] })) console.log(data);
 * // { source: "goals", data: "Run 10 km." … }
 * ```
 */
export function initializer<Deps = unknown>(options: InitializerOptions<Deps>): Hook<Deps> {
  const work = workOf(options);
  return {
    name: work.name,
    beforeRun: async (context) => {
      try {
        await initialize(work, context);
      } catch (cause) {
        if (isLogFailure(cause)) throw cause;
        if (!context.signal.aborted) work.report(cause, context);
      }
      return undefined;
    },
  };
}

function workOf<Deps>(options: InitializerOptions<Deps>): Work<Deps> {
  checkOptions("initializer()", options, OPTIONS, { instead: { prompt: "Use `guidance`." } });
  const { model, sources, guidance = "", name = "initializer", clock = systemClock, spoken } = options;
  const { timeoutMs = 8_000, sourceTimeoutMs = 5_000, maxTokens = 2_000, earlierMessages = 4 } = options;
  checkLimits(`"${name}"`, { timeoutMs, sourceTimeoutMs, maxTokens });
  checkNumbers(`"${name}"`, { earlierMessages }, { whole: true });
  checkPricing(`the model of "${name}"`, model.pricing);
  if (sources.length === 0)
    throw new PawlError("config", `"${name}" needs at least one data source in \`sources\`.`);
  const known = byName(sources, "data sources");
  checkGuidance(guidance, known);
  const report = errorReporter(name, options.onError);
  return {
    ...{ model, sources, guidance, name, clock, spoken, byName: known, report },
    ...{ timeoutMs, sourceTimeoutMs, maxTokens, earlierMessages },
  };
}

async function initialize<Deps>(work: Work<Deps>, context: RunContext<Deps>): Promise<void> {
  const log = await readLog(context, work.name, work.spoken);
  if (log.hasFailed || log.messages.length === 0) return;
  const chosen = log.plan?.chosen ?? (await select(work, context, log));
  const missing = chosen.filter(({ source }) => !log.settled.has(source));
  if (missing.length > 0) await deliver(work, context, missing);
}
