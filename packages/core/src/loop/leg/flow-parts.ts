import type { RunContext } from "../../hooks/hook.ts";
import type { TurnPlan } from "../../hooks/turn-plan.ts";
import type { EventData } from "../../log/event-data.ts";
import type { CurrentRun } from "../../model/model-client.ts";
import type { CallState } from "../../session/state.ts";
import type { Delegate } from "../../tools/tool.ts";
import type { ChosenAgent, MidwayQuestion } from "./part-types.ts";
import type { CallOfHook } from "./progress.ts";

/** The consequences of a complete answer. */
export interface Verdict {
  /** The calls to store. */
  calls: EventData["tool_call"][];
  /** A reminder for the model, which is then called again. */
  reminder?: EventData["note"];
  /** The problem with the answer, if it has one. It is logged with the answer. */
  problem?: Problem;
}

/** A problem with an answer. `code` is the code of the `error` event that logs it. */
export interface Problem {
  code: "contract_violation" | "unknown_stop_reason" | "no_tool_call" | "overlong_answer" | "invalid_output";
  message: string;
}

/** An answer that is judged for the call that a hook wanted. */
export interface WantedAttempt {
  request: EventData["llm_request"];
  answer: { stopReason: string | null };
}

/** What a tool has done so far, for the tasks that it gives to agents. */
export interface GivingRecord {
  /** Whether the call has its result. */
  closed: boolean;
  /** The largest number of levels of sub-agents among the tool's tasks. */
  depth: number;
  /** The question that the tool asks the user instead of returning a result. */
  asked: MidwayQuestion | undefined;
  /** Whether this process leaves the run while the tool has a task in progress. */
  left?: true;
}

/** The work that code has agents, models and hooks do in its own order. */
export interface FlowParts<Leg> {
  /**
   * Asks a model that cannot be forced for the call that the plan forces, by a note. Returns the plan for
   * such a turn.
   */
  wantCall(leg: Leg, plan: TurnPlan): Promise<TurnPlan>;
  /** Judges whether an answer has the call that a hook wanted. */
  wantedVerdict(leg: Leg, attempt: WantedAttempt, verdict: Verdict): Verdict;

  // Feedback of hooks.
  /** Returns the feedback of a hook. Throws if it is not a text. */
  checkedFeedback(feedback: unknown): string;
  /** Continues the run with another turn, in which the model reads the feedback, unless the run must end. */
  continueWithFeedback(leg: Leg, feedback: readonly string[]): Promise<void>;

  // Models that are code.
  /** Returns what such a model gets of the run. */
  currentRun(leg: Leg): Promise<CurrentRun>;

  // Tasks of sub-agents.
  /** Returns the method `runAgent` of a tool's context. */
  agentOfTool(
    leg: Leg,
    call: CallState,
    record: GivingRecord,
    signal: () => AbortSignal,
  ): RunContext["runAgent"];
  /** Returns the method `runAgent` of a hook's context, for one call of that hook. */
  agentOfHook(leg: Leg, name: string, calling: CallOfHook | undefined): RunContext["runAgent"];
  /** Chooses the sub-agent of a call. */
  chooseAgent(leg: Leg, delegate: Delegate, call: CallState, input: unknown): Promise<ChosenAgent>;
}
