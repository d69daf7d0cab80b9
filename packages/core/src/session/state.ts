import type { Json, JsonObject } from "../base/json.ts";
import type { AnswerLimit, Budget } from "../log/budget.ts";
import type { StoredEvent, StoredOf } from "../log/event.ts";
import type { EventData } from "../log/event-data.ts";
import type { InputFor, SkipReason } from "../log/event-parts.ts";
import type { SessionStatus } from "../log/session-row.ts";
import type { StopReason } from "../log/stop-reason.ts";
import type { Usage } from "../model/pricing.ts";
import type { Asking, RunQuestion } from "./asking.ts";
import type { ContextEntry, CountedPrompt, KeptParts, RequestPrefix } from "./context-entry.ts";
import type { OpenAttempt } from "./open-attempt.ts";
import type { WorkTime } from "./work-time.ts";

/** The state of one tool call. */
export interface CallState extends Asking {
  arguments: Json;
  /** The tool's name and the arguments as one text, which is equal for equal calls. */
  key: string;
  /** Why the call cannot be run; `undefined` if it can. */
  invalid: string | undefined;
  /** Why the call was refused without counting as failed, e.g. as one call too many. */
  skipped: SkipReason | undefined;
  /** What the run was charged so far for the call's sub-agent. */
  charged: { usage: Usage; costUsd: number };
  /**
   * Set once the tool was started. `input` is the tool's input if a hook has changed it, and `inputFor` is
   * who learns it. `slice` is the budget of the call's sub-agent. `agent` is the sub-agent's name if the
   * input chose it. `once`: the tool was not idempotent, so the call must not run again.
   */
  started:
    | {
        idempotencyKey: string;
        input?: Json;
        inputFor?: InputFor;
        slice?: Partial<Budget>;
        agent?: string;
        once?: true;
      }
    | undefined;
  /** Whether a `tool_started` event has followed the last question, if there was one. */
  running: boolean;
  result: StoredOf<"tool_result"> | undefined;
}

/** A task that a hook or a tool has given to another agent. It has the form of a call of that agent. */
export interface TaskState extends CallState {
  /** The hook or tool that has given the task. */
  by: string;
  /** Whether the task has ended, and the run was charged for it. */
  over: boolean;
}

/** The last answer of the model in a run, and its calls. */
export interface TurnState {
  /** `seq` of the answer's `assistant_message`. */
  assistantSeq: number;
  stopReason: string | null;
  /** Code of the error that was logged with the answer, if any, e.g. `contract_violation`. */
  problem: string | undefined;
  /** Whether the model was reminded to call a tool, or of the output's schema, and has to answer again. */
  reminded: boolean;
  /** Whether a hook continues the run with another turn, although this one may be complete. */
  continued: boolean;
  /** The run's output, if this answer has given it, with the `seq` of its event. */
  output: { value: Json; seq: number } | undefined;
  calls: CallState[];
  /** Names of the tools that may run in this turn; `undefined` for all. */
  tools: readonly string[] | undefined;
  /** The limit that reduced the answer's `max_tokens`. */
  limitedBy: AnswerLimit | undefined;
}

/** The state of a run, folded from the log over all its legs. */
export interface RunState {
  runId: string;
  /** `seq` of the run's `run_started`. */
  seq: number;
  agent: string;
  /** The version of the agent that started the run. */
  agentVersion: string;
  /** The last change of the agent since then; `undefined` if it has not changed. */
  agentChange: { version: string; tools: EventData["agent_changed"]["tools"] } | undefined;
  /** The run's parameters, see `RunOptions.params`; empty by default. */
  params: JsonObject;
  /** What the application says about the user, see `RunOptions.caller`; empty by default. */
  caller: JsonObject;
  /** Whether the run, or an answer, came with credentials. A process without them must not continue it. */
  needsCredentials: boolean;
  /** The number of hand-overs to other agents since the user's last message, up to the start of this run. */
  handOvers: number;
  /** The number of the model's answers so far. */
  turns: number;
  usage: Usage;
  /** The run's cost so far, in US dollars. */
  costUsd: number;
  /** Texts of the turns, in order. */
  texts: string[];
  calls: CallState[];
  /** The tasks of hooks and tools, in order. */
  tasks: TaskState[];
  /** The hooks' questions about the run, in order. */
  asked: RunQuestion[];
  turn: TurnState | undefined;
  /** The number of paused answers in a row (`pause_turn`). */
  pauses: number;
  /** The `llm_request` that has no answer yet. */
  attempt: OpenAttempt | undefined;
  /** `seq` of the last `llm_request`, while its turn has no answer. */
  openRequest: number | undefined;
  /** Successful calls of the run, by their `key`. */
  succeeded: Map<string, CallState>;
  /** Working time of the run's earlier legs, and the start of the current one. */
  work: WorkTime;
  /** Set if the run gets one last turn: why it ends, and the number of turns before the last one. */
  landing: { stop: StopReason; turns: number } | undefined;
  /** Effects of the run's end that have started, by name. */
  effects: Map<string, "begun" | "over">;
  /** Why the run ends, once its effects have started. */
  ending: StopReason | undefined;
  /** Whether the model was reminded to call a tool, or of the output's schema. */
  reminded: boolean;
  stopRequested: boolean;
  /** `seq` of the first request to stop. */
  stopSeq: number | undefined;
  /** Whether the user sent another message that interrupts the run. */
  interrupted: boolean;
  /** Whether a checkpoint has failed, so that no other is tried in this run. */
  checkpointFailed: boolean;
  /** The number of turns at the last checkpoint for refused content; `undefined` before it. */
  refusedAt: number | undefined;
  /** Why the run ends because a hook has refused its messages; `undefined` if none has. */
  blocked: StopReason | undefined;
  /** The session's status after the run, if a tool has set it. */
  sessionStatus: SessionStatus | undefined;
  /** Whether a leg is running, or was running when its process died. */
  unsettled: boolean;
  /** The number of recoveries since the run last made progress. Those after `gaveWay` do not count. */
  recoveries: number;
  /** Whether the last process left the run on purpose, so that the next recovery does not count. */
  gaveWay: boolean;
  /** The message of the last error that ends the run, for developers. */
  cause: string | undefined;
  ended: StopReason | undefined;
  /** Whether the run left the session in status `error`. */
  failed: boolean;
}

// Only `applyEvent` changes the object.
/** The state of a session, folded from its log. */
export interface SessionState {
  sessionId: string;
  lastSeq: number;
  /** When the last event was stored, ISO 8601, by the store's clock; empty before the first one. */
  lastAt: string;
  prefix: RequestPrefix | undefined;
  /** The user data that was last sent to the model, inside its `<user_data>` tag. */
  userData: string | undefined;
  /** The context so far: events that a request has covered, and the model's answers. */
  entries: ContextEntry[];
  /** Context that no request has covered yet. */
  unsent: StoredEvent[];
  /**
   * Messages that arrived during a run and that no request has covered yet. A checkpoint does not count as a
   * request.
   */
  queued: StoredOf<"user_message">[];
  /** The hash of the last request, and how many entries it covers. */
  hashed: { entries: number; hash: string };
  /** `seq` of the last `llm_request`; 0 before the first. */
  requestSeq: number;
  /**
   * `seq` of the last `llm_request` that the model has refused to answer, since it last answered one; 0
   * without one.
   */
  refusedSeq: number;
  /** What the API has counted for an earlier prompt; `undefined` before the first answer. */
  counted: CountedPrompt | undefined;
  /** What all earlier runs of the session have used. */
  spent: Budget;
  /**
   * The application's own tags on notes and knowledge, in lower case, with the `seq` of their first use; 0
   * for tags that hooks have declared.
   */
  ownTags: Map<string, number>;
  /** The mode that a tool has set. `null`: the session's `metadata.type` applies. */
  mode: string | null;
  /** The agent that has the conversation, and since which `seq`; `null` if it was never handed over. */
  handedTo: { name: string; seq: number } | null;
  /** The open run, or the last one if none is open. */
  run: RunState | undefined;
  /** The calls of the run, by id. */
  calls: Map<string, CallState>;
  /** The questions about the run, by id. */
  asked: Map<string, RunQuestion>;
  // One string, because it grows with the log: parsing it is much faster than parsing thousands of ids.
  /** The ids of all calls of earlier runs, each between line breaks. */
  earlierCalls: string;
  /** The ids of earlier runs' calls and hooks that asked the user, with the `seq` of the last question. */
  earlierQuestions: Map<string, number>;
  /**
   * Parts of earlier requests that the next one reuses.
   *
   * @internal
   */
  readonly kept: KeptParts;
}

/** Returns the open run, if any. */
export function openRun(state: SessionState): RunState | undefined {
  return state.run !== undefined && state.run.ended === undefined ? state.run : undefined;
}

/** Returns the calls of the last turn that have no result yet. */
export function callsWithoutResult(run: RunState): CallState[] {
  return run.turn === undefined ? [] : run.turn.calls.filter((call) => call.result === undefined);
}
