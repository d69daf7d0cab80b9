import type { Question, SessionEvent, StoredEvent, StoredOf } from "@pawl/core";
import type { ToolPart, ViewFold, ViewRun, ViewState } from "@pawl/core/view";
import { viewFold, waitsForTime } from "@pawl/core/view";
import { type BlockStep, blocks } from "./blocks.ts";
import { type CallEdit, newEdits } from "./call-edits.ts";
import { resultIn } from "./call-results.ts";
import type { EncoderContext } from "./dialect.ts";
import type { StepFold } from "./every-view.ts";
import { passedOn } from "./followed.ts";
import { type OutcomePart, outcomesIn } from "./outcomes.ts";
import { type OutputStep, outputs } from "./outputs.ts";

/** One step of a run that a stream sends to its client. */
export type Step =
  | BlockStep
  | OutputStep
  /** A turn of the model begins, in a role of the agent if it has any. */
  | { type: "turn"; turn: number; role?: string }
  /** The model calls a tool. Sent with the whole input, once the answer is stored. */
  | { type: "call"; event: StoredOf<"tool_call">; attempt: number }
  /** A hook has changed a call's input, and pages may have it. Comes before `started` or `asked`. */
  | ({ type: "edited" } & CallEdit)
  | { type: "started"; event: StoredOf<"tool_started"> }
  | { type: "progress"; callId: string; toolName: string; data: unknown }
  | { type: "asked"; question: Question }
  | { type: "answered"; event: StoredOf<"tool_answered"> }
  /** The result of a call. If this stream's message has closed the call, it is in an earlier message. */
  | { type: "result"; event: StoredOf<"tool_result"> }
  /** A source, a file, an artifact or an emitted part of the answer. */
  | { type: "outcome"; part: OutcomePart }
  /** A part that a tool or a hook has emitted, and that is not stored. */
  | { type: "transient"; part: StoredOf<"data_part">["data"] }
  /** Any other event of the log: knowledge, artifacts, usage, types of other packages. */
  | { type: "other"; event: StoredEvent };

/** How the run settled: it waits for answers, or it ended. */
export type Rest =
  | { type: "suspended"; pending: readonly Question[] }
  | { type: "ended"; event: StoredOf<"run_ended"> };

/** Converts the events of a session to the steps of the message that a stream sends. */
export interface Telling {
  steps(event: SessionEvent): Step[];
  /** The session's view, without text that is not stored yet. Read it rarely unless `everyView` folds. */
  readonly view: ViewState;
  /** The run of the view. */
  readonly run: ViewRun | undefined;
  /** Returns a call as the view's run shows it, with its questions. Costs little in any view. */
  call(callId: string): ToolPart | undefined;
  /**
   * Whether the stream continues a message after the user's answer, so that the client has the first part.
   */
  readonly goesOn: boolean;
  /** Id of the run that the stream sends. Changes if another run takes over the message. */
  readonly runId: string;
  readonly rest: Rest | undefined;
  /**
   * Whether the message is complete although its run continues: the run has picked up another user message,
   * and its further output answers that message.
   */
  readonly over: boolean;
}

/**
 * Finds the events that belong to the message of a stream, and the text that is valid. All dialects use this
 * function. Live events and stored events give the same steps.
 *
 * @param fold folds the events, from the view `before`
 */
export function telling(
  { before, messageSeq, runId: first, again = false }: EncoderContext,
  fold: StepFold = viewFold(before),
): Telling {
  const toSteps = eventSteps();
  const goesOn = before.run?.id === first && messageSeq === undefined;
  let cursor = before.cursor;
  let runId = first;
  let speaks = goesOn;
  let rest: Rest | undefined;
  let over = false;

  const begins = (event: StoredEvent): boolean => {
    if (messageSeq === undefined) return event.type === "run_started" && event.data.run_id === runId;
    const covers = event.type === "llm_request" && event.data.prompt.upto_seq >= messageSeq;
    return covers && fold.run?.id === runId;
  };
  const stored = (event: StoredEvent): Step[] => {
    const since = fold.run?.since;
    fold.add(event);
    cursor = event.seq;
    if (event.type === "run_ended" && event.data.run_id === runId) {
      const next = passedOn({ runId, again, ...(messageSeq !== undefined && { messageSeq }) }, event);
      if (next === undefined) rest = { type: "ended", event };
      else runId = next;
    }
    if (event.type === "run_suspended" && !waitsForTime(event.data))
      rest = { type: "suspended", pending: fold.pending };
    if (event.type === "tool_answered") rest = undefined;
    if (!speaks && !again && messageSeq === undefined) {
      const result = resultIn(event, fold);
      if (result !== undefined) return [{ type: "result", event: result }];
    }
    if (!speaks) speaks = begins(event);
    else over = !again && messageSeq === undefined && fold.run?.id === runId && fold.run.since !== since;
    return speaks && !over ? toSteps.stored(event, fold) : [];
  };
  return {
    steps(event) {
      if ("seq" in event) return over || event.seq <= cursor ? [] : stored(event);
      return speaks && !over ? toSteps.live(event) : [];
    },
    goesOn,
    get view() {
      return fold.view();
    },
    get run() {
      return fold.run;
    },
    call: fold.call,
    get runId() {
      return runId;
    },
    get rest() {
      return over ? undefined : rest;
    },
    get over() {
      return over;
    },
  };
}

type Asked = Pick<ViewFold, "pending" | "call">;

/** Converts the events of one message to steps. `view` is the view after an event. */
function eventSteps(): {
  stored(event: StoredEvent, view: Asked): Step[];
  live(event: SessionEvent): Step[];
} {
  const [text, output] = [blocks(), outputs()];
  let turn: number | undefined;
  let attempt = 0;
  // Calls that wait for a time are shown as running, so they start only once.
  const waiting = new Set<string>();
  const edits = newEdits();
  const editSteps = (event: StoredOf<"tool_started" | "tool_suspended">): Step[] =>
    edits(event).map((edit) => ({ type: "edited", ...edit }));
  const stepsOf = (event: StoredEvent, view: Asked): Step[] => {
    switch (event.type) {
      case "llm_request": {
        const isNew = event.data.turn !== turn;
        turn = event.data.turn;
        const { role } = event.data;
        return isNew ? [{ type: "turn", turn, ...(role !== undefined && { role }) }] : [];
      }
      case "assistant_message":
        attempt = event.data.attempt;
        return [];
      case "tool_call":
        return [{ type: "call", event, attempt }];
      case "tool_started":
        return waiting.delete(event.data.call_id) ? [] : [...editSteps(event), { type: "started", event }];
      case "tool_suspended":
        if (event.data.hidden) waiting.add(event.data.call_id);
        return [...editSteps(event), ...questionSteps(event, view)];
      case "tool_answered":
        return answerSteps(event, view);
      case "tool_result":
        return [{ type: "result", event }];
      default:
        return [{ type: "other", event }];
    }
  };
  return {
    stored(event, view) {
      if (event.type === "run_started") turn = undefined;
      const outcomes = outcomesIn(event).map((part): Step => ({ type: "outcome", part }));
      return [...text.stored(event), ...output.stored(event), ...stepsOf(event, view), ...outcomes];
    },
    live(event) {
      if (event.type === "transient_part") return [{ type: "transient", part: event.data }];
      if (event.type !== "tool_progress") return [...text.live(event), ...output.live(event)];
      const { call_id: callId, tool_name: toolName, data } = event.data;
      return [{ type: "progress", callId, toolName, data }];
    },
  };
}

function questionSteps(event: StoredOf<"tool_suspended">, view: Asked): Step[] {
  const question = view.pending.find(({ callId }) => callId === event.data.call_id);
  const asked: Step[] = question === undefined ? [] : [{ type: "asked", question }];
  // A run that waits before it asks its model again asks nobody.
  return event.data.before === undefined || event.data.hidden ? asked : [callOf(event), ...asked];
}

function answerSteps(event: StoredOf<"tool_answered">, view: Asked): Step[] {
  if (event.data.hidden) return [];
  const answered: Step = { type: "answered", event };
  const result = resultIn(event, view);
  return result === undefined ? [answered] : [answered, { type: "result", event: result }];
}

/**
 * Returns a hook's question about the run as a call with the hook's name: clients show questions as calls.
 */
function callOf({ data, ...event }: StoredOf<"tool_suspended">): Step {
  const { call_id, tool_name, payload } = data;
  const call = { call_id, tool_name, arguments: payload };
  return { type: "call", event: { ...event, type: "tool_call", data: call }, attempt: event.seq };
}
