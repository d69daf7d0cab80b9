import type { NewEvent, StoredOf } from "../log/event.ts";
import { eventKey } from "../log/event-keys.ts";
import type { NextRun } from "../log/event-parts.ts";
import { ABORTED, type StopReason, sessionOver } from "../log/stop-reason.ts";
import type { ToolSpec } from "../model/content.ts";
import { type Asking, isHidden } from "../session/asking.ts";
import { closeOpenCalls, OVERTAKEN } from "../session/close-calls.ts";
import { firstExpiry, queuedMessages } from "../session/queued.ts";
import { openRun, type RunState, type SessionState } from "../session/state.ts";
import { endingOf, notifyAtEnd, reportFailedEnd } from "./hooks/end-hooks.ts";
import { notifyOfSuspension } from "./hooks/turn-hooks.ts";
import type { Leg } from "./leg/leg.ts";
import { asked } from "./leg/stored-first.ts";
import { notifyHooksOfStart, startEvents, userDataFor } from "./start-run.ts";

/** The note that the model reads before its last turn. */
const LAST_TURN =
  "This is your last turn for this request: no tool can be used any more. Tell the user how far you have come, and what is left.";

/** The same for an agent with an `output`. */
const LAST_OUTPUT =
  "This is your last turn for this request: no other tool can be used any more. Give your final answer now, as complete as it can be with what you know.";

/** Makes the next turn the run's last one: a limit is near, and the user should get a proper answer. */
export async function land(leg: Leg, stop: StopReason): Promise<void> {
  const run = openRun(leg.log.state);
  if (run === undefined) return;
  leg.life.beginLanding();
  await leg.log.follow([
    {
      type: "note",
      key: eventKey.landing(run.runId),
      data: { text: leg.run.agent.output ? LAST_OUTPUT : LAST_TURN, landing: stop },
    },
  ]);
}

/**
 * Ends the run, answers every open call, and starts the next run if a queued message needs one. Returns
 * `false` if something else was stored first; then the caller must decide again.
 */
export async function endRun(leg: Leg, reason: StopReason): Promise<boolean> {
  leg.log.decide();
  const run = openRun(leg.log.state);
  if (run === undefined) return false;
  const ending = await endingOf(leg, run, reason);
  if (ending === undefined) return false;
  const begin = await prepareNextRun(leg, reason);
  // Nothing is awaited between here and the append, so that no message is missed.
  const successor = begin();
  if (successor === "decide_again") return false;
  const events = [...ending.events(successor?.next), ...(successor?.events ?? [])];
  // The same append releases the lease. So a message, an answer or a stop that arrives now is either seen by
  // this leg, or finds the session free.
  if (!(await leg.log.appendAtTip(events, { release: successor === undefined }))) return false;
  reportFailedEnd(leg, run, ending.stop);
  if (ending.error !== undefined) await notifyAtEnd(leg, ending.error);
  await successor?.begun();
  return true;
}

/**
 * Suspends the run, or ends it if the session is over, because nobody can answer then. `seq` is that of the
 * last event when this was decided. Returns `false` if something was stored after it; the caller must then
 * decide again.
 */
export async function suspendRun(leg: Leg, waiting: readonly Asking[], seq: number): Promise<boolean> {
  const run = openRun(leg.log.state);
  if (run === undefined) return false;
  const status = await leg.run.status();
  if (status === "expired" || status === "completed") return await endRun(leg, sessionOver(status));
  // Hooks may have appended: decide again.
  const questions = waiting.filter((asking) => !isHidden(asking));
  if (questions.length > 0 && (await notifyOfSuspension(leg, questions))) return false;
  return await leg.log.appendAtTip([suspendedEvent(run, waiting)], { seq, release: true });
}

function suspendedEvent({ runId }: RunState, waiting: readonly Asking[]): NewEvent {
  const idsOf = (some: readonly Asking[]) => some.map(({ callId }) => callId);
  const pending = idsOf(waiting.filter((asking) => !isHidden(asking)));
  const hidden = idsOf(waiting.filter(isHidden));
  const wake_at = firstExpiry(waiting);
  return {
    type: "run_suspended",
    data: {
      run_id: runId,
      pending,
      ...(hidden.length > 0 && { hidden }),
      ...(wake_at !== undefined && { wake_at }),
    },
  };
}

/**
 * Closes the open questions because a new message has arrived. The run continues with the message, and may
 * ask again. If an answer is stored first, nothing is closed, and the loop decides again.
 */
export async function closeOvertakenQuestions({ log }: Leg, run: RunState): Promise<void> {
  // The run continues here. Without a running leg, a new message ends the run instead: `endSupersededRun`.
  await log.appendAtTip(closeOpenCalls(run, () => OVERTAKEN));
}

/** The run that starts in the append that ends this one. */
interface Successor {
  next: NextRun;
  events: NewEvent[];
  /** Keeps the lease for the run. Call it once the run's start is stored. */
  begun(): Promise<void>;
}

/**
 * Fetches the user data for the next run, if queued messages need one. Uses the caller of the last message.
 * `reason` is why the run ends, before a hook has changed it. The returned function makes the run from the
 * state at the time of its call. Nothing may be awaited between that call and the append, so that no message
 * is missed. It returns `decide_again` if another message has become the last one, because it may have
 * another caller.
 */
export async function prepareNextRun(
  leg: Leg,
  reason: StopReason,
): Promise<() => Successor | "decide_again" | undefined> {
  const lastMessage = () => messagesFor(leg, reason).at(-1);
  const message = lastMessage();
  const { clock } = leg.life;
  const userData =
    message === undefined
      ? { text: "", failure: undefined }
      : await asked(leg, async () =>
          userDataFor(leg.parts.load, leg.run, await leg.access.accessOf(message), {
            clock,
            hide: leg.access.hide,
          }),
        );
  return () => {
    const last = lastMessage();
    if (last === undefined) return undefined;
    if (last.seq !== message?.seq) return "decide_again";
    const { caller, credentials, client_tools } = last.data;
    const start = {
      runId: leg.run.newId(),
      userData,
      ...(caller && { caller }),
      ...(credentials && { credentials }),
    };
    return {
      next: { run_id: start.runId, messages: messagesFor(leg, reason).map(({ seq }) => seq) },
      events: startEvents(leg.log.state, withNextTools(leg, client_tools), leg.run.newId, start),
      begun: async () => {
        leg.life.keepLeaseFor(start.runId);
        await notifyHooksOfStart(leg.life, { ...leg.run, log: leg.log }, start);
      },
    };
  };
}

/**
 * Returns the agent with the tools of the next run: its own, and those that the message's client offers. If
 * the agent's `tools` is a function, its own tools are those of the present prefix: the leg of the next run
 * calls the function for that run's caller, and stores a new prefix if the tools differ.
 */
function withNextTools(
  { log: { state }, run: { agent } }: Leg,
  offered: readonly ToolSpec[] = [],
): Parameters<typeof startEvents>[1] {
  const { tools: sent = [], clientTools = [] } = state.prefix ?? {};
  const own =
    agent.toolsFor === undefined || state.prefix === undefined
      ? [...agent.tools.values()].flatMap((tool) => (tool.offered ? [] : tool.spec))
      : sent.filter(({ name }) => !clientTools.includes(name));
  const taken = new Set(own.map(({ name }) => name));
  const more = agent.clientTools ? offered.filter(({ name }) => !taken.has(name)) : [];
  return {
    ...agent,
    tools: new Map([
      ...own.map((spec) => [spec.name, { spec }] as const),
      ...more.map((spec) => [spec.name, { spec, offered: true as const }] as const),
    ]),
  };
}

/**
 * Returns the queued messages that start a new run. After a stop, these are only messages that
 * arrived after it: by stopping, the user also cancelled the earlier ones.
 */
function messagesFor({ log: { state }, life }: Leg, reason: StopReason): StoredOf<"user_message">[] {
  const { haltedAt, halted } = life;
  // The request's signal may be aborted while a run already ends for another reason.
  const aborted = halted === ABORTED && reason.type === ABORTED.type;
  const stopped = state.run?.stopRequested === true || aborted;
  const since = stopped ? stoppedSeq(state, haltedAt) : 0;
  return queuedMessages(state).filter(({ seq }) => seq > since);
}

function stoppedSeq({ run }: SessionState, haltedAt: number | undefined): number {
  return run?.stopSeq ?? haltedAt ?? Number.POSITIVE_INFINITY;
}
