import {
  type Awaitable,
  type Budget,
  checkOptions,
  type HookContext,
  type ModelClient,
  type OptionKinds,
  PawlError,
  type StopReason,
} from "@pawl/core";
import { reporter } from "@pawl/core/tools";
import { checkCounts } from "../base/check-counts.ts";
import { RUN_AGENT } from "../base/run-agent.ts";
import type { ToolDoc } from "../docs/tool-doc.ts";
import { MAX_TASKS } from "../plan/check-plan.ts";
import type { Choice, PlanQuestion } from "../plan/plan.ts";
import type { PlanningEvents } from "../record/events.ts";
import type { RunRecord } from "../record/record.ts";
import type { AgentsSource, CustomAgent, ListAgents } from "../tools/custom-agent.ts";

/** The argument of the application's functions: the run so far, and its caller. */
export interface PlanningSource<Deps = unknown> extends AgentsSource<Deps> {
  /** What is known of the run. */
  record: RunRecord;
  /** The user's messages of the run, as text. */
  message: string;
}

/** The argument of the functions in `fallback`. */
export interface LimitSource<Deps = unknown> extends PlanningSource<Deps> {
  /** The limit that was reached, e.g. `turn_limit`, with a message for the user. */
  stop: StopReason;
  /** What the run may still use, including its last turn. */
  remaining: Budget;
}

/** Options of `planning()`. */
export interface PlanningOptions<Deps = unknown> {
  /** The model that plans, e.g. a small one. */
  model: ModelClient;
  /** Instructions for the planner and the reviewer, after Pawl's own. Default: none. */
  guidance?: string;
  /** Returns what the planner should know about a request, e.g. all people who have a name in it. */
  facts?(source: PlanningSource<Deps>): Awaitable<string | undefined>;
  /** Lists the custom agents that a caller may use. Default: none, and no tools to list or run them. */
  agents?(source: AgentsSource<Deps>): Awaitable<readonly CustomAgent<Deps>[]>;
  /** The limits of a custom agent's task, see `agentTool()`. Default: those of the agent. */
  agentLimits?: Partial<Budget>;
  /**
   * The names of tools whose calls are skipped until the request is clear. Default: `run_custom_agent`, if
   * `agents` is given.
   */
  gates?: readonly string[];
  /**
   * The names of tools of the agent that a plan must not contain, e.g. one that rewrites queries. Default:
   * none.
   */
  withhold?: readonly string[];
  /**
   * Returns the possible answers to a question. If there is only one, the user is not asked. The model's
   * suggestions are shown if there are none, and if one is not valid, e.g. has a number as its `id`. Default:
   * the model's suggestions.
   */
  choices?(question: PlanQuestion, source: PlanningSource<Deps>): Awaitable<readonly Choice[]>;
  /** How many questions in a row may leave a request unclear before the run ends. Default: 3. */
  attempts?: number;
  /** The most tasks of a plan. Default: 20. */
  maxTasks?: number;
  /** When turns are reviewed, and by which model; `false` for never. Default: see the fields. */
  review?:
    | {
        /** The model. Default: the planner's. */
        model?: ModelClient;
        /** Review a turn with two or more calls. Default: true. */
        batches?: boolean;
        /** Review after this number of calls since the last review. Default: 4. */
        everyCalls?: number;
      }
    | false;
  /**
   * Descriptions of tools, chosen for each run. Those of tools that the agent does not have are left out;
   * `checkToolDocs()` finds them in a test. Default: none.
   */
  docs?: {
    /** The descriptions, from `parseToolDocs()`. */
    docs: readonly ToolDoc[];
    /** The most descriptions of a run. Default: 8. */
    most?: number;
    /** The most tokens of a run's descriptions. Default: 2,000. */
    maxTokens?: number;
  };
  /** How to answer at a limit. The agent needs `onLimit: "land"`. Default: from what the model has read. */
  fallback?: {
    /**
     * Returns data for the answer, e.g. from a plain search. The model reads it in the last turn, in the tag
     * `<Retrieved>`. The function has at most half of the remaining time, so that there is time to answer.
     */
    retrieve(source: LimitSource<Deps>): Awaitable<string>;
    /** Returns the answer, so that no model is asked. Default: the agent's model answers. */
    write?(found: string, source: LimitSource<Deps>): string;
  };
  /** Returns the message to the user when planning ends a run. Default: Pawl's own words, in English. */
  stopMessage?(stopped: Omit<PlanningEvents["planning.stopped"], "run_id">): string;
  /** The most tokens of an answer of the planner or the reviewer. Default: 4,096. */
  maxTokens?: number;
  /** Time limit of each function and each model call of the planning, in milliseconds. Default: 20,000. */
  timeoutMs?: number;
  /**
   * Called with each error of the planning, e.g. of its model. The run continues without the failed part.
   * Default: the error is printed to the console.
   */
  onError?(error: unknown, context: Pick<HookContext, "sessionId" | "userId">): void;
}

type Review = Exclude<NonNullable<PlanningOptions["review"]>, false>;
type Docs = NonNullable<PlanningOptions["docs"]>;
type Fallback<Deps> = NonNullable<PlanningOptions<Deps>["fallback"]>;

const MODEL = {
  mustBe: 'a ModelClient, e.g. claude("claude-haiku-4-5")',
  is: (value: unknown) => typeof Object(value).stream === "function",
};

const OPTIONS: OptionKinds<PlanningOptions<never>> = {
  model: { ...MODEL, required: true },
  ...{ guidance: "string", facts: "function", agents: "function", agentLimits: "object" },
  ...{ gates: "list", withhold: "list", choices: "function", attempts: "number", maxTasks: "number" },
  review: {
    mustBe: "an object of options, or false",
    is: (value) => value === false || (typeof value === "object" && value !== null),
  },
  ...{ docs: "object", fallback: "object", stopMessage: "function" },
  ...{ maxTokens: "number", timeoutMs: "number", onError: "function" },
};
const REVIEW: OptionKinds<Review> = { model: MODEL, batches: "boolean", everyCalls: "number" };
const DOCS: OptionKinds<Docs> = { docs: "list!", most: "number", maxTokens: "number" };
const FALLBACK: OptionKinds<Fallback<never>> = { retrieve: "function!", write: "function" };

/** The options with their defaults. */
export interface Settings<Deps> {
  model: ModelClient;
  guidance: string;
  facts: PlanningOptions<Deps>["facts"];
  agents: ListAgents<Deps> | undefined;
  agentLimits: Partial<Budget> | undefined;
  gates: readonly string[];
  withhold: readonly string[];
  choices: PlanningOptions<Deps>["choices"];
  attempts: number;
  maxTasks: number;
  review: Required<Review> | undefined;
  docs: Required<Docs> | undefined;
  fallback: Fallback<Deps> | undefined;
  stopMessage: PlanningOptions<Deps>["stopMessage"];
  maxTokens: number;
  timeoutMs: number;
  report: NonNullable<PlanningOptions<Deps>["onError"]>;
}

/** Checks the options and fills in the defaults. */
export function settingsOf<Deps>(options: PlanningOptions<Deps>): Settings<Deps> {
  checkOptions("planning()", options, OPTIONS as OptionKinds<PlanningOptions<Deps>>, {
    instead: {
      tools: "Leave it out: planning() reads the agent's own tools.",
      toolFailures: "Use `limits: { toolFailures }` of the agent.",
      retrieve: "Use `fallback: { retrieve }`.",
    },
  });
  const { model, agents, review = {}, docs, fallback } = options;
  if (review !== false) checkOptions("`review` of planning()", review, REVIEW);
  if (docs !== undefined) checkOptions("`docs` of planning()", docs, DOCS);
  if (fallback !== undefined)
    checkOptions("`fallback` of planning()", fallback, FALLBACK as OptionKinds<Fallback<Deps>>);
  const settings: Settings<Deps> = {
    ...{ model, agents, fallback, facts: options.facts, choices: options.choices },
    ...{ agentLimits: options.agentLimits, stopMessage: options.stopMessage },
    guidance: options.guidance ?? "",
    gates: options.gates ?? (agents === undefined ? [] : [RUN_AGENT]),
    withhold: options.withhold ?? [],
    attempts: options.attempts ?? 3,
    maxTasks: options.maxTasks ?? MAX_TASKS,
    review: review === false ? undefined : { model, batches: true, everyCalls: 4, ...defined(review) },
    docs: docs === undefined ? undefined : { most: 8, maxTokens: 2_000, ...defined(docs) },
    maxTokens: options.maxTokens ?? 4_096,
    timeoutMs: options.timeoutMs ?? 20_000,
    report: errorReporter(options.onError),
  };
  const { attempts, maxTasks, maxTokens, timeoutMs } = settings;
  const numbers = {
    ...{ attempts, maxTasks, maxTokens, timeoutMs },
    "review.everyCalls": settings.review?.everyCalls ?? 1,
    "docs.most": settings.docs?.most ?? 1,
    "docs.maxTokens": settings.docs?.maxTokens ?? 1,
  };
  checkCounts("planning()", numbers);
  return settings;
}

function defined<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as T;
}

/** Returns a function that reports errors and never throws. */
function errorReporter<Deps>(onError: PlanningOptions<Deps>["onError"]): Settings<Deps>["report"] {
  const printed = (error: unknown) => console.error(`planning: ${PawlError.describe(error)}`);
  const report = reporter("onError", onError ?? printed);
  return (error, { sessionId, userId }) => report(error, { sessionId, userId });
}
