import type { SessionEvent, StoredEvent } from "@pawl/core";
import type { ViewState } from "@pawl/core/view";
import type { WireError } from "../../request/wire-error.ts";
import { closedSteps } from "../base/call-results.ts";
import { dataFrame, type Encoder, type EncoderContext } from "../base/dialect.ts";
import { everyView } from "../base/every-view.ts";
import { type Step, telling } from "../base/telling.ts";
import { inView } from "./ag-ui-activities.ts";
import { newInputs, type Views } from "./ag-ui-call-input.ts";
import { blockEvents, callEvents, emptied, outputEvent } from "./ag-ui-events.ts";
import { outputOf } from "./ag-ui-messages.ts";
import { type AgUiClient, type AgUiEvent, ANSWERED, lastEvents } from "./ag-ui-outcome.ts";
import { framesOf, inOrder, isQueued, replacing, snapshot, withoutQueued } from "./ag-ui-snapshot.ts";
import { subAgents } from "./ag-ui-sub-agents.ts";

/** Facts about the request that an encoder's stream answers. */
export interface AgUiStream extends Omit<AgUiClient, "run"> {
  /** The id that the client has given to the run. Default: the run's own id. */
  runId?: string;
  /**
   * Whether to send snapshots. Needed if the client's messages may differ from the session's. Default:
   * `false`.
   */
  restates?: boolean;
  /** Whether the request sent a message again that has its answer. The stream says so. */
  isAnswered?: boolean;
}

/** Returns an encoder that writes a run as AG-UI events. */
export function agUiEncoder(context: EncoderContext, stream: AgUiStream): Encoder {
  const told = telling(context, everyView(context.before));
  const run = { threadId: context.threadId, runId: stream.runId ?? context.runId };
  const client = { ...stream, run };
  const isQueuedMessage = context.messageSeq !== undefined;
  const restates =
    context.idle !== true && (stream.restates === true || context.again === true || isQueuedMessage);
  const { events, restated, stepEnd, open, tasks } = threadEvents(restates, context);
  const frames = framesOf(context.before, () => snapshot(told.view, open()));
  // A stream that restates sends earlier events as snapshots, not one by one. After a queued message,
  // everything before the answer to this message is sent as a snapshot too.
  let isCaughtUp = !restates || (!isQueuedMessage && context.cursor <= context.before.cursor);
  let wasOver = false;
  const catchUp = (view: ViewState): AgUiEvent[] => {
    if (isCaughtUp) return [];
    isCaughtUp = true;
    wasOver = told.rest?.type === "ended";
    return restated(context.before, view, wasOver);
  };
  return {
    begin: () => {
      const started = { type: "RUN_STARTED", ...run, ...(stream.isOne && { protocolVersion: "1.0" }) };
      const known = restates && isCaughtUp ? [snapshot(context.before)] : [];
      return [
        ...frames([started]),
        ...closedSteps(context).flatMap(callEvents).map(dataFrame),
        ...frames(known),
      ];
    },
    encode: (event) => {
      // The view before this event. The event's own changes are sent after the snapshot.
      const before = told.view;
      const steps = told.steps(event);
      const views = { before, view: told.view };
      if (isCaughtUp) return frames(events(event, steps, views));
      if (isQueuedMessage) {
        if (steps.length === 0) return [];
        const known = { before: told.view, view: told.view };
        return frames([...catchUp(told.view), ...events(event, steps, known)]);
      }
      const isPast = "seq" in event && event.seq <= context.cursor;
      const first = isPast ? [] : catchUp(before);
      const more = events(event, steps, views);
      if (!isPast) return frames([...first, ...more]);
      return frames(event.seq < context.cursor ? [] : catchUp(told.view));
    },
    end: () => {
      if (told.rest === undefined && !told.over && context.idle !== true) return [];
      const first = catchUp(told.view);
      const { view } = told;
      const waits = restates && view.messages.some(isQueued);
      const ended = lastEvents(
        told,
        { ...client, subAgentOf: tasks.idOf, drops: wasOver && stream.drops === true },
        wasOver || waits,
      );
      const last = stream.isAnswered === true ? [ANSWERED, ...ended] : ended;
      const closed = [...tasks.ends(told.rest), ...stepEnd()];
      return frames([...first, ...closed, ...(waits ? inOrder(view) : []), ...last]);
    },
    refused: runError,
    get over() {
      return told.over;
    },
  };
}

/** Returns the frames of a request, or the last frame of a stream, that is refused. */
export function runError({ code, message }: WireError["error"]): readonly string[] {
  return [dataFrame({ type: "RUN_ERROR", message, code })];
}

/**
 * Converts a thread's events to AG-UI events. With `restates`, events that AG-UI cannot express become
 * snapshots.
 */
function threadEvents(restates: boolean, context: EncoderContext) {
  const words = blockEvents();
  const tasks = subAgents();
  const hasNewInput = newInputs(context);
  let step: string | undefined;
  /** The attempt of the model's current answer; `undefined` once the answer is stored. */
  let attempt: number | undefined;
  /**
   * The attempt whose thinking the client may already have. A snapshot without thinking would not remove it.
   */
  let doubtful: number | undefined;
  const stepEnd = () => (step === undefined ? [] : [{ type: "STEP_FINISHED", stepName: step }]);
  const eventsOf = (one: Step, before: ViewState): AgUiEvent[] => {
    switch (one.type) {
      case "piece": {
        const isNew = one.kind === "thinking" && one.attempt === doubtful && !words.isOpen(one);
        const whole = () => snapshot(before, [...words.open(), ...emptied([one])]);
        const without = isNew ? replacing(context.before, whole()) : [];
        return [...without, ...words.events(one)];
      }
      case "settled":
        return words.events(one);
      case "void":
        return [...words.events(one), snapshot(before, emptied(one.blocks))];
      case "turn": {
        const ended = stepEnd();
        step = `turn ${one.turn}`;
        words.spokenBy(one.role);
        return [...ended, ...stepStart(step, one.role)];
      }
      default:
        return [...callEvents(one), ...tasks.events(one)];
    }
  };
  const untold = (event: SessionEvent, { before, view }: Views): AgUiEvent[] => {
    const isPickedUp = PICKS_UP.includes(event.type) && before.messages.some(isQueued);
    // A queued message that the run picks up may belong further up in the client's list.
    const without = isPickedUp ? [snapshot(withoutQueued(before))] : [];
    return [...without, snapshot(view, words.open())];
  };
  return {
    events: (event: SessionEvent, made: readonly Step[], views: Views): AgUiEvent[] => {
      const steps = made.map((one) => inView(one, views.view));
      const told = steps.filter((one) => !isTurn(one)).flatMap((one) => eventsOf(one, views.before));
      if ("seq" in event) attempt = attemptAfter(event, attempt);
      // An answer of calls alone has no steps, but its calls follow: clients would append their arguments to
      // those in a snapshot. A closed question has none either, but its call's result follows.
      const isTold = steps.length > 0 || FOLLOWED.includes(event.type);
      const isUntold = !isTold || UNTOLD.includes(event.type);
      const isNewer = views.view.messages !== views.before.messages;
      const isNews = hasNewInput(event, views) || (restates && isUntold && isNewer);
      const more = isNews ? untold(event, views) : [];
      return [...told, ...more, ...steps.filter(isTurn).flatMap((one) => eventsOf(one, views.before))];
    },
    /** Returns events that replace all earlier ones. */
    restated: (before: ViewState, view: ViewState, isOver: boolean): AgUiEvent[] => {
      doubtful = attempt;
      if (isOver) step = undefined;
      const begun = step === undefined ? [] : stepStart(step, view.run?.role);
      const output = outputOf(view);
      const known = output === undefined ? [] : [outputEvent(output)];
      return [...replacing(before, snapshot(view)), ...known, ...begun, ...tasks.all()];
    },
    stepEnd,
    open: words.open,
    tasks,
  };
}

const FOLLOWED: readonly string[] = ["assistant_message", "tool_answered"];

const isTurn = ({ type }: Step) => type === "turn";

/** Returns the events with which a turn begins. The role that speaks is a custom event. */
function stepStart(stepName: string, role: string | undefined): AgUiEvent[] {
  const started = { type: "STEP_STARTED", stepName };
  return role === undefined ? [started] : [started, { type: "CUSTOM", name: "role", value: role }];
}

/** Events after which queued messages are queued no more. */
const PICKS_UP: readonly string[] = ["run_started", "llm_request"];

/** Events that add or remove messages and have no AG-UI counterpart. */
const UNTOLD: readonly string[] = ["user_message", "run_started", "llm_request"];

function attemptAfter(event: StoredEvent, attempt: number | undefined): number | undefined {
  if (event.type === "llm_request") return event.seq;
  return SETTLED.includes(event.type) ? undefined : attempt;
}

const SETTLED: readonly string[] = ["assistant_message", "run_recovered", "run_suspended", "run_ended"];
