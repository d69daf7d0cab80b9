import type { ModelFailure } from "../../base/errors.ts";
import type { Json } from "../../base/json.ts";
import type { TurnPlan } from "../../hooks/turn-plan.ts";
import type { Consent } from "../../log/consent.ts";
import type { NewEvent } from "../../log/event.ts";
import type { EventData } from "../../log/event-data.ts";
import type { EmittedPart, InputFor, SkipReason } from "../../log/event-parts.ts";
import type { StopReason } from "../../log/stop-reason.ts";
import type { Validated } from "../../schema/schema.ts";
import type { CallState } from "../../session/state.ts";
import type { TaskAgent } from "../../tools/run-agent-types.ts";
import type { Tool, ToolContext } from "../../tools/tool.ts";
import type { Given } from "../../tools/tool-outcome.ts";

/** A hook or a tool that asks a model. */
export interface Asker {
  /** The name of the hook or tool, for the log. */
  by: string;
  /** The hook's name, or the call's id. Keys of model calls are unique within it. */
  scope: string;
  /** Returns the signal that aborts the model call. */
  signal(): AbortSignal;
}

/** The attempt whose answer is judged. */
export interface JudgedAttempt {
  seq: number;
  /** Whether the text of the answer is the output. */
  asText: boolean;
  request: Pick<EventData["llm_request"], "model">;
  answer: { stopReason: string | null };
}

/** Why a request was refused: the failure of its provider, or the model did not want to answer. */
export type Refusal = (ModelFailure & { message: string }) | "by the model";

/** What follows a request whose content was refused. */
export interface RefusalOutcome {
  /** The events of a checkpoint without that content; an empty list if nothing is left out. */
  events: NewEvent[];
  /** Whether the model is asked once more. */
  again: boolean;
  /** Why the run ends otherwise; absent if the failure itself says it. */
  stop?: StopReason;
}

/** The run's output in an answer, or the problem with it. */
export interface OutputVerdict {
  /** The calls of the agent's own tools. */
  calls: EventData["tool_call"][];
  /** Where the output is in the answer, see `EventData.assistant_message`. */
  place?: "text" | "call";
  /** The events to store with the answer. */
  events: NewEvent[];
  /** The problem with the answer, if the run ends because of it. */
  problem?: { code: "invalid_output"; message: string };
}

/** The user data of a session, or why it could not be fetched. */
export interface FetchedUserData {
  /** The user data; empty without any, or if they could not be fetched. */
  text: string;
  /** The error event to log. The run then starts without user data. */
  failure: Extract<NewEvent, { type: "error" }> | undefined;
  /** What `onError` gets of the failure. */
  error?: unknown;
}

/**
 * A call's parsed input. `changed` is the input as JSON, if hooks have changed it, and `inputFor` is who
 * learns it.
 */
export interface CallInput {
  input: unknown;
  changed: Json | undefined;
  inputFor?: InputFor | undefined;
}

/**
 * Why a call is refused: its tool is missing, its tool no longer asks the user, or its input or answer is
 * invalid.
 */
export type CallRefusal =
  | { do: "refuse_missing" | "refuse_unasked" }
  | { do: "refuse_input" | "refuse_answer"; problems: readonly string[] };

/** A call's sub-agent, or why the call has none. */
export type ChosenAgent = { agent: TaskAgent } | { why: string };

/** A hook's question as it is stored, without the name of the hook. */
export type CheckedAsk = Pick<EventData["tool_suspended"], "kind" | "payload" | "answer_schema" | "expires">;

/** The hooks' decision about a call: run it with `input`, refuse it, answer it, or ask the user. */
export type HookDecision =
  | ({ do: "run" } & CallInput)
  | { do: "deny"; why: string }
  /** The run was stopped before all hooks had decided. */
  | { do: "leave" }
  | { do: "answer"; result: Json; skipped: SkipReason | undefined }
  | ({ do: "ask"; by: string; ask: CheckedAsk } & CallInput);

/** The step in which a hook, or the tool before it runs, asks the user about a call. */
export type AskStep = Extract<HookDecision, { do: "ask" }> | ({ do: "ask_for_tool" } & CallInput);

/** What is known of a call about which the user was asked. */
export interface KnownOfCall {
  input?: Validated<unknown>;
  screened?: HookDecision;
}

/** Prepares a call of which this is known: returns events to store, or the call that may run. */
export type PrepareKnown<Run> = (
  call: CallState,
  known: KnownOfCall,
) => Promise<{ do: "store"; events: NewEvent[] } | Run>;

/** A call that runs as the user has consented to. */
export type Consented = CallInput & { do: "run"; about?: Consent };

/** The work on calls about which the user is asked. */
export interface ConsentParts<Leg> {
  /**
   * Returns the question that a hook, or the tool before it runs, asks about a call. Throws a PawlError
   * `config` for a tool whose question cannot be stored.
   */
  callQuestion(leg: Leg, call: CallState, tool: Tool, step: AskStep): Promise<NewEvent>;
  /** Prepares a call about which the user was asked. It runs as it was shown, or the user is asked again. */
  prepareAsked<R extends Consented>(
    leg: Leg,
    call: CallState,
    tool: Tool,
    prepare: PrepareKnown<R>,
  ): ReturnType<PrepareKnown<R>>;
}

/** What a running call shows to readers. `json` is that of a part's data, see `Given`. */
export interface CallOutput {
  /** Shows a report of progress, now or after a short time, so that readers do not get too many. */
  progress(report: Given, options: { conflate?: boolean } | undefined): void;
  /** Stores or shows a part. */
  emit(part: EmittedPart, json: Json | undefined): Promise<void>;
  /** Shows the last report. Resolves when all is stored, and waiting readers have had the time to read it. */
  end(): Promise<void>;
}

/** The hook or tool that emits a part. Only a tool has a call. */
export interface Emitter {
  name: string;
  callId?: string;
}

/** A question that a tool asks while it runs, or its wait for a time, as it is stored. */
export type MidwayQuestion = Pick<
  EventData["tool_suspended"],
  "kind" | "payload" | "answer_schema" | "state" | "expires" | "hidden" | "child" | "client_tool" | "changed"
>;

/** The work of methods in the contexts of hooks and tools. Each checks its arguments before it returns. */
export interface ContextMethods {
  /** Returns the question of a tool as it is stored. */
  question(question: Parameters<ToolContext["ask"]>[0]): MidwayQuestion;
  /** Returns a tool's wait for a time as it is stored. */
  wait(moment: Parameters<ToolContext["wait"]>[0]): MidwayQuestion;
}

/** The plan for the next turn, or the stop reason for which the run ends instead. */
export type Planned = { plan: TurnPlan; stop?: never } | { stop: StopReason; plan?: never };
