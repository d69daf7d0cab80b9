import type { Question, RunStart, SessionEvent, StoredEvent, StoredOf } from "@pawl/core";
import { reduceView, type ViewState } from "@pawl/core/view";
import { type BlockStep, blocks } from "./blocks.ts";
import type { EncoderContext } from "./dialect.ts";

/** What happens in the run that a stream tells, in the order in which it is to be told. */
export type Step =
  | BlockStep
  /** A turn of the model begins. */
  | { type: "turn"; turn: number }
  /** The model calls a tool, with its whole input. Told once the answer is on record, never before. */
  | { type: "call"; event: StoredOf<"tool_call">; attempt: number }
  | { type: "started"; event: StoredOf<"tool_started"> }
  | { type: "progress"; callId: string; toolName: string; data: unknown }
  | { type: "asked"; question: Question }
  | { type: "answered"; event: StoredOf<"tool_answered"> }
  | { type: "result"; event: StoredOf<"tool_result"> }
  /** An event of the log that is none of the others: knowledge, artifacts, usage, types of other packages. */
  | { type: "other"; event: StoredEvent };

/** How the run has come to rest. */
export type Rest =
  | { type: "suspended"; pending: readonly Question[] }
  | { type: "ended"; event: StoredOf<"run_ended"> };

/** A stream's events as steps of the one message that it tells. */
export interface Telling {
  steps(event: SessionEvent): Step[];
  /** The session as people see it, without text that is not stored yet. */
  readonly view: ViewState;
  /** The stream begins in the middle of the message: the client has what was told of it before an answer. */
  readonly goesOn: boolean;
  /** The run that is told. It changes where a message is passed on to the next one. */
  readonly runId: string;
  readonly rest: Rest | undefined;
  /** The run has taken up another message, and what it says from now on stands behind that. */
  readonly over: boolean;
}

/**
 * What all dialects have in common: which events of a session belong to the message that a stream tells, and
 * which of its text counts. Whether the events come as they happen or out of the log, the same is told.
 */
export function telling({ before, messageSeq, runId: first, again = false }: EncoderContext): Telling {
  const toSteps = eventSteps();
  const goesOn = before.run?.id === first && messageSeq === undefined;
  let view = before;
  let runId = first;
  let speaks = goesOn;
  let rest: Rest | undefined;
  let over = false;

  const begins = (event: StoredEvent): boolean => {
    if (messageSeq === undefined) return event.type === "run_started" && event.data.run_id === runId;
    const covers = event.type === "llm_request" && event.data.prompt.upto_seq >= messageSeq;
    return covers && view.run?.id === runId;
  };
  const stored = (event: StoredEvent): Step[] => {
    const since = view.run?.since;
    view = reduceView(view, event);
    if (event.type === "run_ended" && event.data.run_id === runId) {
      const next = passedOn({ runId, again, ...(messageSeq !== undefined && { messageSeq }) }, event);
      if (next === undefined) rest = { type: "ended", event };
      else runId = next;
    }
    if (event.type === "run_suspended") rest = { type: "suspended", pending: view.pending };
    if (event.type === "tool_answered") rest = undefined;
    if (!speaks) speaks = begins(event);
    else over = !again && messageSeq === undefined && view.run?.id === runId && view.run.since !== since;
    return speaks && !over ? toSteps.stored(event, view) : [];
  };
  return {
    steps(event) {
      if (over) return [];
      if ("seq" in event) return event.seq <= view.cursor ? [] : stored(event);
      return speaks ? toSteps.live(event) : [];
    },
    goesOn,
    get view() {
      return view;
    },
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

/** Events of one message as steps. */
function eventSteps(): {
  stored(event: StoredEvent, view: ViewState): Step[];
  live(event: SessionEvent): Step[];
} {
  const text = blocks();
  let turn: number | undefined;
  let attempt = 0;
  const stepOf = (event: StoredEvent, { pending }: ViewState): Step | undefined => {
    switch (event.type) {
      case "llm_request": {
        const isNew = event.data.turn !== turn;
        turn = event.data.turn;
        return isNew ? { type: "turn", turn } : undefined;
      }
      case "assistant_message":
        attempt = event.data.attempt;
        return undefined;
      case "tool_call":
        return { type: "call", event, attempt };
      case "tool_started":
        return { type: "started", event };
      case "tool_suspended": {
        const question = pending.find(({ callId }) => callId === event.data.call_id);
        return question && { type: "asked", question };
      }
      case "tool_answered":
        return { type: "answered", event };
      case "tool_result":
        return { type: "result", event };
      default:
        return { type: "other", event };
    }
  };
  return {
    stored(event, view) {
      const step = stepOf(event, view);
      return [...text.stored(event), ...(step === undefined ? [] : [step])];
    },
    live(event) {
      if (event.type !== "tool_progress") return text.live(event);
      const { call_id: callId, tool_name: toolName, data } = event.data;
      return [{ type: "progress", callId, toolName, data }];
    },
  };
}

/**
 * What a stream follows: a run, the run that picks up a message, or with `again` a run and those that begin
 * where it ends.
 */
export type Followed = Pick<RunStart, "runId" | "messageSeq"> & { again?: boolean };

/** The run that the stream follows after this end. */
export function passedOn(
  { runId, messageSeq, again }: Followed,
  { data: { run_id, next } }: StoredOf<"run_ended">,
): string | undefined {
  if (run_id !== runId || next === undefined) return undefined;
  const passed = again === true || (messageSeq !== undefined && next.messages.includes(messageSeq));
  return passed ? next.run_id : undefined;
}
