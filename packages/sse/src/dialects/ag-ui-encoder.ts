import type { SessionEvent, StoredEvent, ViewMessage, ViewState } from "@pawl/core";
import { blockEvents, callEvents, emptied } from "./ag-ui-events.ts";
import { type AgUiMessage, agUiMessages, answerId } from "./ag-ui-messages.ts";
import { type AgUiClient, type AgUiEvent, lastEvents } from "./ag-ui-outcome.ts";
import { dataFrame, type Encoder, type EncoderContext } from "./dialect.ts";
import { type Step, telling } from "./telling.ts";

/** What an encoder knows of the request that its stream answers. */
export interface AgUiStream extends Omit<AgUiClient, "run"> {
  /** The client's name of the run. */
  runId?: string;
  /** The client may have messages that differ from the session's: snapshots put them right. */
  restates?: boolean;
  /** Why the request was refused, although the thread is shown. */
  refusal?: string;
}

/** Tells runs as events of AG-UI. */
export function agUiEncoder(context: EncoderContext, stream: AgUiStream): Encoder {
  const told = telling(context);
  const words = blockEvents();
  const run = { threadId: context.threadId, runId: stream.runId ?? context.runId };
  const restates = context.idle !== true && (stream.restates === true || context.again === true);
  let step: string | undefined;
  /** The answer that the model is at, until it is on record. */
  let attempt: number | undefined;
  const stepEnd = () => (step === undefined ? [] : [{ type: "STEP_FINISHED", stepName: step }]);
  const eventsOf = (one: Step, before: ViewState): AgUiEvent[] => {
    switch (one.type) {
      case "piece":
      case "settled":
        return words.events(one);
      case "void":
        return [...words.events(one), snapshot(before, emptied(one.blocks))];
      case "turn": {
        const ended = stepEnd();
        step = `turn ${one.turn}`;
        return [...ended, { type: "STEP_STARTED", stepName: step }];
      }
      default:
        return callEvents(one);
    }
  };
  /** Snapshots for messages that no event of AG-UI tells: the user's, and what a retry takes away. */
  const untold = (event: SessionEvent, steps: readonly Step[], before: ViewState): AgUiEvent[] => {
    const isUntold = steps.length === 0 || UNTOLD.includes(event.type);
    if (!restates || !isUntold || told.view.messages === before.messages) return [];
    const written = words.open();
    const isPickedUp = event.type === "llm_request" && before.messages.some(isQueued);
    // A client puts new messages behind those that it has. What is picked up stood before the end of the answer then.
    const without = isPickedUp ? [snapshot(withoutQueued(before))] : [];
    return [...without, snapshot(told.view, written.length > 0 ? written : placeholder(told.view, attempt))];
  };
  return {
    begin: () => {
      const started = { type: "RUN_STARTED", ...run, ...(stream.isOne && { protocolVersion: "1.0" }) };
      return [started, ...(restates ? [snapshot(context.before)] : [])].map(dataFrame);
    },
    encode: (event) => {
      // Without what this event brings: that is told behind it.
      const { view } = told;
      const steps = told.steps(event);
      const events = steps.flatMap((one) => eventsOf(one, view));
      if ("seq" in event) attempt = attemptAfter(event, attempt);
      const more = untold(event, steps, view);
      return (event.type === "llm_request" ? [...more, ...events] : [...events, ...more]).map(dataFrame);
    },
    end: () => {
      if (told.rest === undefined && !told.over && context.idle !== true) return [];
      const last =
        stream.refusal === undefined
          ? lastEvents(told, { ...stream, run })
          : [{ type: "RUN_ERROR", message: stream.refusal, code: "invalid_input" }];
      const waits = restates && told.view.messages.some(isQueued);
      return [...stepEnd(), ...(waits ? [snapshot(told.view)] : []), ...last].map(dataFrame);
    },
    get over() {
      return told.over;
    },
  };
}

/** Events that bring or take away messages, and that no event of AG-UI tells. */
const UNTOLD: readonly string[] = ["user_message", "run_started", "llm_request"];

function attemptAfter(event: StoredEvent, attempt: number | undefined): number | undefined {
  if (event.type === "llm_request") return event.seq;
  return SETTLED.includes(event.type) ? undefined : attempt;
}

const SETTLED: readonly string[] = ["assistant_message", "run_recovered", "run_ended"];

/** Keeps the place of an answer of which nothing was sent yet, before the messages that wait for the next turn. */
function placeholder(view: ViewState, attempt: number | undefined): AgUiMessage[] {
  if (attempt === undefined || !view.messages.some(isQueued)) return [];
  return [{ id: answerId(attempt), role: "assistant", content: "" }];
}

function isQueued({ queued }: ViewMessage): boolean {
  return queued === true;
}

function withoutQueued(view: ViewState): ViewState {
  return { ...view, messages: view.messages.filter((message) => !isQueued(message)) };
}

/** All messages; `written` stands before those that wait for the next turn. */
function snapshot(view: ViewState, written: readonly AgUiMessage[] = []): AgUiEvent {
  const waiting = { ...view, messages: view.messages.filter(isQueued) };
  const messages = [...agUiMessages(withoutQueued(view)), ...written, ...agUiMessages(waiting)];
  return { type: "MESSAGES_SNAPSHOT", messages };
}
