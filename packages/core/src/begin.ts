import type { Agent } from "./agent.ts";
import { askToStop } from "./ask-to-stop.ts";
import { prefixFor } from "./context/prefix.ts";
import { fetchUserData } from "./context/user-data.ts";
import { PawlError } from "./errors.ts";
import type { NewEvent, StoredEvent } from "./events/event.ts";
import type { Session } from "./events/session-row.ts";
import { tellHooks } from "./hooks/call-hooks.ts";
import type { ActiveLeg, Host } from "./host.ts";
import { type OpenLeg, openLeg } from "./leg-runner.ts";
import type { RunStart } from "./run-handle.ts";
import type { RunOptions } from "./runtime-types.ts";
import { answerEvents } from "./session/answer.ts";
import { earlierRun } from "./session/earlier-run.ts";
import { eventKey } from "./session/keys.ts";
import { loadState } from "./session/load.ts";
import { patchOf } from "./session/patch.ts";
import { isWaiting, openRun, type RunState, type SessionState, unanswered } from "./session/state.ts";
import { supersede } from "./supersede.ts";

/** A run that is safely stored, and the leg that works on it if it is this process's. */
export interface Begun {
  start: RunStart;
  leg: ActiveLeg | undefined;
}

/** Stores the user's message with the start of a run, and lets the run go. */
export async function beginWithMessage(
  host: Host,
  session: Session,
  agent: Agent,
  message: string,
  options: Pick<RunOptions, "clientMessageId" | "signal">,
): Promise<Begun> {
  const taken = await takeOrFind(host, session, agent, options.clientMessageId);
  if ("start" in taken) return taken;
  const leg = taken;
  try {
    const start = await storeMessage(host, session, leg, agent, message, options.clientMessageId);
    return { start, leg: leg.go(options.signal) };
  } catch (error) {
    const left = openRun(leg.log.state);
    if (PawlError.is(error, "session_busy") && left !== undefined) await goOn(leg, left).catch(host.report);
    else await leg.close();
    if (!PawlError.is(error, "key_taken")) throw error;
    const earlier = await earlierRun(host.store, session.id, options.clientMessageId);
    if (earlier === undefined) throw busy();
    return { start: earlier, leg: undefined };
  }
}

/**
 * The session for a new message, or the run that the same message has begun already. While somebody holds the session
 * without a run in it, that somebody is just beginning one: it may be this very message, sent twice.
 *
 * @throws PawlError `session_busy`.
 */
async function takeOrFind(
  host: Host,
  session: Session,
  agent: Agent,
  clientMessageId: string | undefined,
): Promise<OpenLeg | Begun> {
  for (let tries = 1; ; tries += 1) {
    const leg = await openLeg(host, session, agent);
    if (leg !== undefined) return leg;
    const earlier = await earlierRun(host.store, session.id, clientMessageId);
    if (earlier !== undefined) return { start: earlier, leg: undefined };
    const now = await host.store.sessions.get(session.id);
    if (now?.openRun !== null || tries === 10) throw busy();
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

async function storeMessage(
  host: Host,
  session: Session,
  leg: OpenLeg,
  agent: Agent,
  message: string,
  clientMessageId: string | undefined,
): Promise<RunStart> {
  const { log, deps } = leg;
  refuseWhileBusy(log.state);
  const { text, failure } = await fetchUserData(agent, session, deps);
  for (;;) {
    const before = refuseWhileBusy(log.state);
    const ended = before === undefined ? [] : await supersede(host, session, agent, leg, before);
    if (ended === undefined) continue;
    const runId = host.newId();
    const events: NewEvent[] = [
      ...ended,
      { type: "run_started", data: { run_id: runId, agent: agent.name, agent_version: agent.version } },
      ...prefixFor(log.state, agent, host.newId, text),
      ...(failure === undefined ? [] : [failure]),
      {
        type: "user_message",
        data: { message: message.toWellFormed() },
        ...(clientMessageId !== undefined && { key: eventKey.message(clientMessageId) }),
      },
    ];
    try {
      const [first] = await log.append(events, { atTip: true });
      if (failure !== undefined) {
        const context = { sessionId: session.id, userId: session.userId, runId, agent: agent.name };
        const patience = { signal: AbortSignal.timeout(host.leaseTtlMs), abortGraceMs: 0, clock: host.clock };
        const more = await tellHooks(patience, agent.hooks, failure.data, context);
        if (more.length > 0) await log.append(more);
      }
      return { sessionId: log.state.sessionId, runId, afterSeq: (first?.seq ?? 1) - 1 };
    } catch (error) {
      if (!PawlError.is(error, "conflict")) throw error;
    }
  }
}

/** The run that waits for its user or only for its end, if one does; one that is at work refuses a new message. */
function refuseWhileBusy(state: SessionState): RunState | undefined {
  const run = openRun(state);
  const over = run === undefined || run.ending !== undefined || unanswered(run).some(isWaiting);
  if (!over) throw busy();
  return run;
}

/** Stores answers. Needs no lease: the leg at work takes them up, or a new one is begun here. */
export async function beginWithAnswers(
  host: Host,
  session: Session,
  agent: Agent,
  { answers = [], signal }: Pick<RunOptions, "answers" | "signal">,
): Promise<Begun> {
  const state = await loadState(host.store, session.id);
  const events = await answerEvents(state, agent, answers);
  const [first] = await host.store
    .append(session.id, events, { appendId: host.newId(), session: patchOf(events) })
    .catch((error: unknown): readonly StoredEvent[] => {
      if (!PawlError.is(error, "key_taken")) throw error;
      throw new PawlError("already_answered", "This question has been answered already.", { cause: error });
    });
  const seq = first?.seq ?? state.lastSeq;
  host.tail.stored(session.id, seq + events.length - 1);
  const start = { sessionId: session.id, runId: state.run?.runId ?? "", afterSeq: seq - 1 };
  const active = host.legs.get(session.id);
  if (active !== undefined) await active.catchUp();
  const leg = await recover(host, session, agent, signal);
  if (leg === undefined)
    signal?.addEventListener("abort", () => stopElsewhere(host, session.id), { once: true });
  return { start, leg };
}

/** Goes on with a run that nobody works on. `undefined`: somebody does, or there is nothing to go on with. */
export async function recover(
  host: Host,
  session: Session,
  agent: Agent,
  signal?: AbortSignal,
): Promise<ActiveLeg | undefined> {
  const leg = await openLeg(host, session, agent);
  if (leg === undefined) return undefined;
  const run = openRun(leg.log.state);
  if (run === undefined) {
    await leg.close();
    return undefined;
  }
  return await goOn(leg, run, signal);
}

async function goOn(leg: OpenLeg, run: RunState, signal?: AbortSignal): Promise<ActiveLeg> {
  try {
    if (run.inLeg) await leg.log.append([{ type: "run_recovered", data: { run_id: run.runId } }]);
  } catch (error) {
    await leg.close();
    throw error;
  }
  return leg.go(signal);
}

function busy(): PawlError {
  return new PawlError("session_busy", "This session is still at work. Wait for it, or stop it.");
}

/** Stops a run that another leg works on. */
function stopElsewhere(host: Host, sessionId: string): void {
  askToStop(host, sessionId).catch(host.report);
}
