import type { StoredOf } from "@pawl/core";
import { isFailedCall } from "../base/answers.ts";
import { questionId } from "../base/question-id.ts";
import type { Rest, Step } from "../base/telling.ts";
import { contentOf } from "./ag-ui-messages.ts";
import type { AgUiEvent } from "./ag-ui-outcome.ts";

/** The sub-agents of a stream, as AG-UI's events about them. */
export interface SubAgents {
  /** Returns the events of a step: a sub-agent starts, or has its result. */
  events(step: Step): AgUiEvent[];
  /** Returns the events about all sub-agents so far, for a client that has none of them. */
  all(): AgUiEvent[];
  /** Returns events that close the sub-agents that have no result when the run settles. */
  ends(rest: Rest | undefined): AgUiEvent[];
  /** Returns the id of the sub-agent that works on a call; `undefined` if none of this stream does. */
  idOf(callId: string): string | undefined;
}

/** A sub-agent is started once in a stream: clients refuse an id again, also after its end. */
export function subAgents(): SubAgents {
  const told = new Map<string, { started: AgUiEvent; ended?: AgUiEvent }>();
  return {
    events: (step) => {
      if (step.type !== "started" && step.type !== "result") return [];
      const callId = step.event.data.call_id;
      const known = told.get(callId);
      if (step.type === "result") {
        if (known === undefined || known.ended !== undefined) return [];
        known.ended = endOf(step.event.data);
        return [known.ended];
      }
      if (known !== undefined || !isTask(step.event.data)) return [];
      const started = startOf(step.event.data);
      told.set(callId, { started });
      return [started];
    },
    all: () => [...told.values()].flatMap(({ started, ended }) => (ended ? [started, ended] : [started])),
    ends: (rest) => {
      const open = [...told].filter(([, { ended }]) => ended === undefined);
      return open.map(([callId]) => closing(callId, rest));
    },
    idOf: (callId) => (told.has(callId) ? runIdOf(callId) : undefined),
  };
}

/** Returns whether a sub-agent works on a call: only such a call has a share of the budget. */
function isTask({ slice }: StoredOf<"tool_started">["data"]): boolean {
  return slice !== undefined;
}

function runIdOf(callId: string): string {
  return `task-${callId}`;
}

function startOf({ call_id, tool_name, agent = tool_name }: StoredOf<"tool_started">["data"]): AgUiEvent {
  return {
    type: "SUBAGENT_STARTED",
    subagentRunId: runIdOf(call_id),
    name: agent,
    parentToolCallId: call_id,
  };
}

function endOf(data: StoredOf<"tool_result">["data"]): AgUiEvent {
  const { call_id, result } = data;
  const subagentRunId = runIdOf(call_id);
  if (!isFailedCall(data)) return { type: "SUBAGENT_FINISHED", subagentRunId, result };
  const { reason } = Object(result);
  return {
    type: "SUBAGENT_ERROR",
    subagentRunId,
    message: typeof reason === "string" ? reason : contentOf(result),
  };
}

/** Clients refuse the end of a run while one of its sub-agents is open. */
function closing(callId: string, rest: Rest | undefined): AgUiEvent {
  const subagentRunId = runIdOf(callId);
  if (rest?.type === "ended") {
    const { message, type: code } = rest.event.data.stop;
    return { type: "SUBAGENT_ERROR", subagentRunId, message, code };
  }
  const own = (rest?.pending ?? []).filter((question) => question.callId === callId);
  const interruptIds = own.map(({ seq }) => questionId(seq));
  return { type: "SUBAGENT_FINISHED", subagentRunId, outcome: { type: "suspended", interruptIds } };
}
