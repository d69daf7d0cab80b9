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
import { afterBarrier } from "./leg/stored-first.ts";
import { reportMissingUserData, startEvents, userDataFor } from "./start-run.ts";

/** The note that the model reads before the landing turn. */
const LAST_TURN =
  "This is your last turn for this request: no tool can be used any more. Tell the user how far you have come, and what is left.";

/** The same for an agent with an `output`. */
const LAST_OUTPUT =
  "This is your last turn for this request: no other tool can be used any more. Give your final answer now, as complete as it can be with what you know.";

/** Prepares the landing turn: stores the note that makes the next turn the run's last one. */
export async function land(leg: Leg, stop: StopReason): Promise<void> {
  const run = openRun(leg.log.state);
  if (run === undefined) return;
  leg.life.beginLanding();
  await leg.log.storeDecision([
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
  leg.log.beginDecision();
  const run = openRun(leg.log.state);
  if (run === undefined) return false;
  const ending = await endingOf(leg, run, reason);
  if (ending === undefined) return false;
  const makeSuccessor = await prepareNextRun(leg, reason);
  // Nothing is awaited between here and the append, so that no message is missed.
  const successor = makeSuccessor();
  if (successor === "decide_again") return false;
  const events = [...ending.events(successor?.next), ...(successor?.events ?? [])];
  // The same append releases the lease. So a message, an answer or a stop that arrives now is either stored
  // first, and this leg decides again, or it finds a session that no leg holds.
  if (!(await leg.log.appendAtTip(events, { release: successor === undefined }))) return false;
  reportFailedEnd(leg, run, ending.stop);
  if (ending.error !== undefined) await notifyAtEnd(leg, ending.error);
  await successor?.begun();
  return true;
}

/**
 * Suspends the run. If the session was completed or has expired, nobody can answer, so the run ends instead.
 * `seq` is the number of the last event when the suspension was decided. Returns `false` if something was
 * stored after that event; the caller must then decide again.
 */
export async function suspendRun(leg: Leg, waiting: readonly Asking[], seq: number): Promise<boolean> {
  const run = openRun(leg.log.state);
  if (run === undefined) return false;
  const status = await leg.run.status();
  if (status === "expired" || status === "completed") return await endRun(leg, sessionOver(status));
  // The `onSuspend` hooks may have appended events, so the caller decides again.
  const questions = waiting.filter((asking) => !isHidden(asking));
  if (questions.length > 0 && (await notifyOfSuspension(leg, questions))) return false;
  return await leg.log.appendAtTip([suspendedEvent(run, waiting, leg.run.clockSetBack?.())], {
    seq,
    release: true,
  });
}

function suspendedEvent({ runId }: RunState, waiting: readonly Asking[], clock?: string): NewEvent {
  const idsOf = (askings: readonly Asking[]) => askings.map(({ callId }) => callId);
  const pending = idsOf(waiting.filter((asking) => !isHidden(asking)));
  const hidden = idsOf(waiting.filter(isHidden));
  const wake_at = firstExpiry(waiting, clock);
  return {
    type: "run_suspended",
    data: {
      run_id: runId,
      pending,
      ...(hidden.length > 0 && { hidden }),
      ...(wake_at !== undefined && { wake_at, ...(clock !== undefined && { clock }) }),
    },
  };
}

/**
 * Closes the open questions because a new message has arrived. The run continues with the message, and may
 * ask again. If an answer is stored first, nothing is closed, and the loop decides again.
 */
export async function closeOvertakenQuestions({ log }: Leg, run: RunState): Promise<void> {
  // Without a running leg, a new message ends the suspended run instead, see `prepareSupersededEnd`.
  await log.appendAtTip(closeOpenCalls(run, "message", () => OVERTAKEN));
}

/** The next run. Its start is stored in the append that ends the current run. */
interface Successor {
  next: NextRun;
  events: NewEvent[];
  /** Keeps the lease for the next run, and notifies the hooks. Call it once the run's start is stored. */
  begun(): Promise<void>;
}

/**
 * Fetches the user data for the next run, if queued messages need one. Uses the caller of the last message.
 * `reason` is why the current run ends, before a hook has changed it.
 *
 * Returns a function that makes the next run from the state at the time of its call. Nothing may be awaited
 * between that call and the append, so that no message is missed. The function returns `undefined` if no
 * message needs a run. It returns `decide_again` if another message has become the last one, because that
 * message may have another caller.
 */
export async function prepareNextRun(
  leg: Leg,
  reason: StopReason,
): Promise<() => Successor | "decide_again" | undefined> {
  const lastMessage = () => messagesForNextRun(leg, reason).at(-1);
  const message = lastMessage();
  const { clock } = leg.life;
  const userData =
    message === undefined
      ? { text: "", failure: undefined }
      : await afterBarrier(leg, async () =>
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
      next: { run_id: start.runId, messages: messagesForNextRun(leg, reason).map(({ seq }) => seq) },
      events: startEvents(leg.log.state, withNextTools(leg, client_tools), leg.run.newId, start),
      begun: async () => {
        leg.life.keepLeaseFor(start.runId);
        // biome-ignore lint/plugin: what is called with it calls it through the gate `afterBarrier()`.
        const begun = { ...leg.run, log: leg.log, report: (error: unknown) => leg.report.toFix(error) };
        await reportMissingUserData(leg.parts.load, leg.life, begun, start);
      },
    };
  };
}

/**
 * Returns the agent with the tools of the next run: its own, and those that the message's client offers. If
 * the agent's `tools` is a function, its own tools are those of the current prefix: the leg of the next run
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
  const ownNames = new Set(own.map(({ name }) => name));
  const added = agent.clientTools ? offered.filter(({ name }) => !ownNames.has(name)) : [];
  return {
    ...agent,
    tools: new Map([
      ...own.map((spec) => [spec.name, { spec }] as const),
      ...added.map((spec) => [spec.name, { spec, offered: true as const }] as const),
    ]),
  };
}

/**
 * Returns the queued messages that start a new run. After a stop, these are only messages that
 * arrived after it: by stopping, the user also cancelled the earlier ones.
 */
function messagesForNextRun({ log: { state }, life }: Leg, reason: StopReason): StoredOf<"user_message">[] {
  const { haltedAt, halted } = life;
  // A stop that arrives while the run already ends for another reason sets `halted`, but does not count.
  const aborted = halted === ABORTED && reason.type === ABORTED.type;
  const isStopped = state.run?.stopRequested === true || aborted;
  const stopSeq = isStopped ? stopSeqOf(state, haltedAt) : 0;
  return queuedMessages(state).filter(({ seq }) => seq > stopSeq);
}

/** Returns the number of the event at which the run was stopped; `Infinity` if it is unknown. */
function stopSeqOf({ run }: SessionState, haltedAt: number | undefined): number {
  return run?.stopSeq ?? haltedAt ?? Number.POSITIVE_INFINITY;
}
