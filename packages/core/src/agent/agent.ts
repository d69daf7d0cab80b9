import type { Instead } from "../base/hints.ts";
import type { JsonObject } from "../base/json.ts";
import type { CheckpointStrategy } from "../context/strategy.ts";
import type { UserDataSource } from "../context/user-data.ts";
import type { Awaitable, Hook } from "../hooks/hook.ts";
import { type Budget, type Limits, unlimited } from "../log/budget.ts";
import type { NewEvent } from "../log/event.ts";
import type { Session } from "../log/session-row.ts";
import type { StopType } from "../log/stop-reason.ts";
import type { ToolSpec } from "../model/content.ts";
import type { ModelClient } from "../model/model-client.ts";
import type { Schema } from "../schema/schema.ts";
import type { StopCondition } from "../stop/stop-condition.ts";
import type { Tool } from "../tools/tool.ts";

/** The schema of the option `output`, and how an agent's runs give their output. */
export interface AgentOutput extends Schema {
  /** The tool by which a model without output formats gives the output. */
  readonly spec: ToolSpec;
  /** Whether the output is in the field `value`, because APIs take only objects. */
  readonly isWrapped: boolean;
  /** The JSON Schema of the model's output format; absent if the model calls the tool instead. */
  readonly format?: JsonObject;
}

/**
 * What happens when a message arrives while a run is in progress.
 *
 * - `reject`: the message is refused with the error `session_busy`.
 * - `queue`: the message is stored, and the run reads it in its next turn, even if the run was about to end.
 *   If the run ends for another reason first, a new run starts for the message.
 * - `interrupt`: the run ends as `interrupted`, and a new run starts for the message.
 *
 * A run that is waiting for the user's answer is not in progress: a new message always closes its questions
 * and starts a new run.
 *
 * If the run is stopped (by `runtime.stop()` or its signal), queued messages from before the stop do not
 * start a run. They stay in the context for the next run.
 */
export type WhenBusy = "reject" | "queue" | "interrupt";

/**
 * A role of an agent, see the option `roles` of `agent()`.
 *
 * @example
 * ```ts
 * import type { AgentRole } from "@pawl/core/tools";
 *
 * const seats: AgentRole = {
 *   description: "Changes seats.",
 *   instructions: "Ask for the seat, then change it.",
 *   to: ["triage"],
 * };
 * console.log(seats.to); // [ 'triage' ]
 * ```
 */
export interface AgentRole<Deps = unknown> extends Instead<"role"> {
  /** What the model reads as a note when the role begins. The system prompt stays the agent's. */
  instructions: string;
  /**
   * The tools that only this role, and others that list them, may call. Every role may also call the tools of
   * the agent. Default: none.
   */
  tools?: readonly Tool<Deps>[];
  /** The role's model. Default: the model of the agent. */
  model?: ModelClient;
  /**
   * The roles to which this one may hand the conversation over. The model does it by the tool
   * `transfer_to_<role>`. Default: none, so only `setMode()` changes the role.
   */
  to?: readonly string[];
  /** What the role does, for the models that may hand over to it. */
  description?: string;
}

/**
 * Options of `agent()`. `Deps` is the type of the value that the runtime's `deps` option returns for the
 * agent's tools, hooks and `userData`. `Name` is the agent's name as a type, `Tools` the type of its tools,
 * `S` the type of the schema of its output.
 */
export interface AgentOptions<Deps, Name extends string = string, Tools = Tool<Deps>, S = unknown> {
  /** The agent's name, unique in its runtime. Do not change it: sessions are stored with the name. */
  name: Name;
  /**
   * The version of the agent, which each run records, e.g. the release. Change it when the agent's behaviour
   * changes. If a process resumes a run that another version has begun, the log says so (`agent_changed`).
   * Default: "1".
   */
  version?: string;
  /** The model. A failed request is not retried, unless you wrap the model with `resilient`. */
  model: ModelClient;
  /** The system prompt. */
  instructions: string;
  /**
   * The tools that the model may call, or a function that returns them for one session and caller. Default:
   * none. If your tools need different dependencies, give the agent their intersection and its name as type
   * arguments: `agent<Db & Mail, "clerk">({ … })`. A function is called before the start of a run is stored.
   * It must return the tools in the same order each time; see the guide "Tools and dependencies".
   */
  tools?:
    | readonly (Tools & Pick<Tool<Deps>, "execute">)[]
    | ((source: {
        /** The session's row. */
        session: Session;
        /** What the application says about the user, see `RunOptions.caller`. Default: `{}`. */
        caller: JsonObject;
        /** The caller's credentials; `undefined` if this process has none. */
        credentials: unknown;
        /** The value that the runtime's `deps` returned for this session and caller. */
        deps: Deps;
        /** Aborted when the function takes too long, or the run is stopped. */
        signal: AbortSignal;
      }) => Awaitable<readonly (Tools & Pick<Tool<Deps>, "execute">)[]>);
  /**
   * The agent's roles by name, e.g. `{ triage: { instructions, to: ["seats"] }, seats: { instructions } }`.
   * Default: none. See the guide "Roles and hand-over".
   *
   * - The first role begins, or the one that `metadata.type` names. It speaks until the tool
   *   `transfer_to_<role>`, or `setMode()` in a tool of yours, changes the role. The role is the session's
   *   mode, so it stays the same in later runs and in other processes.
   * - All roles share the conversation, the system prompt and the list of tools, so the cached prompt stays
   *   valid. Calls of tools of other roles are refused.
   */
  roles?: { readonly [role: string]: AgentRole<Deps> };
  /**
   * The agents to which this one may hand the conversation over, by name, each with a description for the
   * model, e.g. `{ billing: "It answers questions about invoices." }`. Default: none. See the guide "Roles
   * and hand-over".
   *
   * - The model calls the tool `transfer_to_<agent>`. The call ends the run. In the same append, a run of the
   *   other agent starts, which reads the whole conversation.
   * - The agents must be in the `agents` of the same `runtime()`.
   * - An agent with an `output` cannot hand over. An agent that runs as a sub-agent does not get these tools.
   */
  handOverTo?: { readonly [agent: string]: string };
  /**
   * The schema of the object with which every run ends, as `result.output`: zod from 4.2, another schema that
   * describes itself as JSON Schema, `zod3()` or `jsonSchema()`. A run without a valid output says why in its
   * stop reason. Default: none, runs end with text. See the guide "Structured output".
   */
  output?: S &
    ([S] extends [{ readonly _zod: unknown; readonly toJSONSchema: unknown }]
      ? unknown
      : S extends Schema | undefined
        ? unknown
        : Schema);
  /**
   * Whether clients may offer tools of their own with a message, see `RunOptions.clientTools`. Their texts
   * are treated like text of the user. Sub-agents do not get them. Default: no, such a message is refused.
   */
  clientTools?: boolean;
  /** Time limit of `tools` if it is a function, in milliseconds. Default: 5,000. */
  toolsTimeoutMs?: number;
  /**
   * The most characters of tools in a prompt if `tools` is a function, as JSON of names, descriptions and
   * schemas. Default: 400,000, about 100,000 tokens.
   *
   * - Tools of MCP servers and of `remoteTools()` are admitted in the order of the list. Tools that the
   *   session's prompt already has come first. A tool that does not fit any more is left out, and the log
   *   says so (`tools_left_out`).
   * - Tools of your own count, but always stay, even above the limit. Tools of clients have a limit of their
   *   own, 64,000.
   */
  toolsLimit?: number;
  /**
   * The hooks, in the order in which they are called, after Pawl's own guards. See {@link Hook}. Default:
   * none.
   */
  hooks?: readonly Hook<Deps>[];
  /** Conditions that end a run. They are checked in this order before every turn. Default: none. */
  stopWhen?: readonly StopCondition[];
  /**
   * Limits of one run. The defaults are {@link defaultLimits}: 10 turns, 5 minutes, 100 tool calls. Limits
   * are also enforced while an answer streams and while a tool ignores its abort signal. Before each model
   * call, the estimated tokens of the prompt are counted, and `max_tokens` is lowered so that the answer
   * stays within the limits.
   */
  limits?: Partial<Limits>;
  /** Limits of all runs of a session together. Default: no limits. */
  sessionLimits?: Partial<Budget>;
  /**
   * What happens when a limit is reached. Default: `stop`; for an agent with an `output`, `land`.
   *
   * - `stop`: the run ends.
   * - `land`: the model gets one last turn without tools, to tell the user how far it got, or to give its
   *   output. Then the run ends with the same stop reason. A part of each limit is reserved for this turn.
   */
  onLimit?: "stop" | "land";
  /** Messages for the user at the end of a run, by type of stop reason. Default: Pawl's own messages. */
  stopMessages?: { readonly [type in StopType]?: string };
  /**
   * Estimates the number of tokens of a text from its length in characters. The result is rounded up. Limits
   * and checkpoints use the estimate before a model call. Default: one token per four characters before the
   * first answer, and then by what the API has counted for the session's earlier prompts.
   */
  estimateTokens?(chars: number): number;
  /** The maximum length of one answer, in tokens. Default: 4096. */
  maxTokens?: number;
  /**
   * Whether the agent acts through tools only. Default: `false`.
   *
   * - Each answer of the model must be one tool call. Of several calls, only the first runs.
   * - A run continues until a tool with `endsRun` succeeds, or until the model gives its `output`.
   * - A model with `forcedToolChoice` is forced to call a tool. Any other model is reminded once per run if
   *   it answers without a call; the next such answer ends the run as an error.
   */
  toolOnly?: boolean;
  /** The number of tools of one turn that may run at the same time. Default: 8. */
  toolConcurrency?: number;
  /**
   * The longest tool result that the model reads, in characters. A longer result is cut, with a note for the
   * model of how much is missing. Default: 100,000.
   */
  resultLimit?: number;
  /**
   * The longest tool result that is stored and shown to clients, in characters of JSON. Default: 1,000,000.
   *
   * - A longer result is cut, also of tools of your own and of failures. Long texts lose their middle, lists
   *   and objects lose their end, and a note says how much is missing.
   * - Pictures and PDFs that the model reads stay whole.
   * - Reported sources count. Of a longer result, the first 200,000 characters of its sources are kept.
   */
  storedResultLimit?: number;
  /**
   * The XML tag in which the model reads every tool result, e.g. `result`. Default: none.
   *
   * - A result reads `<result tool="look">…</result>`, a failed one `<result tool="look" error="true">…`.
   *   Failures include calls that were refused, timed out or never ran.
   * - The text cannot close the tag, so that data from outside stays inside it.
   * - A list of content blocks is put between two text blocks with the tags, except search results and tool
   *   references, which are sent without tags.
   * - Hooks, clients and the log's `result` get the result without the tag.
   */
  resultTag?: string;
  /**
   * What the application knows about the user, e.g. `{ read: ({ session }) => nameOf(session.userId) }`.
   *
   * The model reads the text in a separate system block. If a later text is different, it is appended, so the
   * cached prompt stays valid.
   */
  userData?: {
    /**
     * Returns the text, e.g. as XML. If it throws, the error is reported and the run continues with the
     * previous text. It is then not called again until the next run starts or this run is resumed.
     */
    read: (source: UserDataSource<Deps>) => string | Promise<string>;
    /**
     * When `read` is called. Default: `turn`.
     *
     * - `turn`: when a run begins, and before each turn that follows a tool's work or the user's answer. So
     *   the model reads at once what a tool changed.
     * - `run`: only when a run begins. Use it if the text is long and repeats what tools have just written.
     */
    per?: "turn" | "run";
    /** Time limit of `read`, in milliseconds. Default: 5,000. */
    timeoutMs?: number;
  };
  /**
   * Strategies that shorten the context between turns. They are asked in this order, and the first that
   * returns a plan is used. See {@link CheckpointStrategy}. Default: none.
   */
  checkpointWhen?: readonly CheckpointStrategy[];
  /**
   * What happens when a message arrives during a run, see {@link WhenBusy}. Takes precedence over the
   * `whenBusy` of `run()`. Default: the `whenBusy` of `run()`, or else `reject`.
   */
  whenBusy?: WhenBusy;
}

/**
 * An agent, made by `agent()`. The fields are those of {@link AgentOptions}, with the defaults filled in.
 * `Deps` is the type of the `deps` that its tools, hooks and `userData` need, `Name` its name as a type.
 * `Output` is the type of `result.output` of its runs, `unknown` if it is any JSON, and `Tools` the type of
 * its tools. Both are lost where an agent is declared as `Agent<Deps>`.
 */
export interface Agent<Deps = unknown, Name extends string = string, Output = unknown, Tools = Tool<Deps>>
  extends Readonly<
      Required<
        Omit<
          AgentOptions<Deps>,
          | "name"
          | "tools"
          | "hooks"
          | "limits"
          | "sessionLimits"
          | "resultTag"
          | "clientTools"
          | "userData"
          | "whenBusy"
          | "output"
          | "roles"
          | "handOverTo"
        >
      >
    >,
    Readonly<Pick<AgentOptions<Deps>, "resultTag" | "whenBusy" | "clientTools" | "handOverTo">> {
  /** The types of the agent. Only the compiler knows this field: it has no value. */
  readonly "~types"?: { output: Output; tools: Tools };
  readonly name: Name;
  /** The tools by name; empty if `toolsFor` returns them. */
  readonly tools: ReadonlyMap<string, Tool<Deps>>;
  /** The function `tools`, if the agent has one. */
  readonly toolsFor?: Extract<AgentOptions<Deps>["tools"], (...given: never) => unknown>;
  /** The roles by name, if the agent has any. The first one begins. Their tools are in `tools`, too. */
  readonly roles?: { readonly [role: string]: AgentRole };
  /** The error events for tools that were left out, see `toolsLimit`. Only in a run. */
  readonly toolErrors?: readonly NewEvent[];
  /** The schema of the output, and how its runs give it; absent if they end with text. */
  readonly output?: Schema & {
    /** The tool by which a model without output formats gives the output. */
    readonly spec: ToolSpec;
    /** Whether the model writes the output in the field `value` of an object. */
    readonly isWrapped: boolean;
    /** The JSON Schema of the model's output format; absent if the model calls the tool instead. */
    readonly format?: JsonObject;
  };
  readonly userData?: Readonly<Required<NonNullable<AgentOptions<Deps>["userData"]>>>;
  /** Pawl's own guards, then the application's hooks. */
  readonly hooks: readonly Hook[];
  readonly limits: Readonly<Limits>;
  readonly sessionLimits: Readonly<Budget>;
}

/** The default limits of a run: 10 turns, 5 minutes, 100 tool calls, 2 `errorTurns`, 3 `toolFailures`. */
export const defaultLimits: Readonly<Limits> = {
  ...unlimited,
  turns: 10,
  wallClockMs: 300_000,
  toolCalls: 100,
  errorTurns: 2,
  toolFailures: 3,
};
