import type { Agent } from "../../agent/agent.ts";
import { delay } from "../../base/clock.ts";
import { PawlError } from "../../base/errors.ts";
import { admitted } from "../../context/admit.ts";
import { loadState } from "../../fold/load.ts";
import type { NewEvent } from "../../log/event.ts";
import type { Session } from "../../log/session-row.ts";
import { canBeRetried } from "../../log/stop-reason.ts";
import { lackedSpeaker } from "../../loop/lacked-speaker.ts";
import { startEvents, userDataFor } from "../../loop/start-run.ts";
import { loadParts } from "../../parts/at-hand.ts";
import { runToResume } from "../../session/queued.ts";
import { openRun, type RunState, type SessionState } from "../../session/state.ts";
import type { CallerOptions, Host, LegOptions } from "../leg/host.ts";
import { leaseSession } from "../leg/lease-session.ts";
import type { LeasedSession } from "../leg/leased-session.ts";
import type { RunStart } from "../leg/run-handle.ts";
import { type Begun, PAUSE_MS, resumeRun } from "./begin.ts";
import { beginWithAnswers } from "./begin-with-answers.ts";
import { retryOf } from "./earlier-run.ts";
import { busyError, senderOf, storedCallerFields } from "./incoming-message.ts";
import { longestStart } from "./queue-message.ts";
import type { RetryRunOptions, RunOptions } from "./run-options.ts";
import { stopOnAbort } from "./stop-on-abort.ts";
import { startRun } from "./store-start.ts";

/** A request to retry a run. */
interface Retry extends CallerOptions {
  session: Session;
  agent: Agent;
  /** The id of the run to retry. */
  runId: string;
  signal?: AbortSignal | undefined;
}

/** The note for the model if the failed run left text or calls in the context. */
const TRY_AGAIN =
  "Your answer to the user's last message broke off, and the user asks you to try again. Results of your tool calls still count. " +
  "What you wrote after the last of them is no longer shown to the user: answer anew.";

/**
 * Starts a run that retries the last message. If the run was retried already, returns that retry. If the run
 * has not ended, returns the run itself. `opened` is the session that the caller has opened. Its `leased` is
 * `undefined` if the lease was taken.
 *
 * @throws PawlError `invalid_input` if the run did not fail or is not the last one; `session_busy` if another
 * run is open.
 */
async function beginRetry(
  host: Host,
  retry: Retry,
  opened: { leased: LeasedSession | undefined },
): Promise<Begun> {
  const { session, agent, runId } = retry;
  const longestWaitMs = longestStart(host, agent);
  // `waitedMs` includes the pause at the end of this pass.
  for (let waitedMs = PAUSE_MS; ; waitedMs += PAUSE_MS) {
    const isFirst = waitedMs === PAUSE_MS;
    const leased = isFirst ? opened.leased : await leaseSession(host, session, agent, senderOf(retry));
    const state = leased?.log.state ?? (await loadState(host.store, session.id));
    const earlier = await earlierRetry(host, state, runId).catch(async (error: unknown) => {
      await leased?.close();
      throw error;
    });
    if (earlier !== undefined) {
      await leased?.close();
      return { start: earlier, work: undefined };
    }
    const open = openRun(state);
    if (open?.runId === runId) return await resumeOrJoin(host, retry, leased, startOf(state, open));
    const refusal = open === undefined ? whyNotRetryable(state, runId) : busyError();
    if (refusal !== undefined) {
      await leased?.close();
      throw refusal;
    }
    const begun = leased === undefined ? "taken" : await startRetry(host, retry, leased);
    if (begun !== "taken") return begun;
    if (waitedMs >= longestWaitMs) throw busyError();
    await delay(host.clock, PAUSE_MS);
  }
}

/**
 * Finds the existing retry of a run. Returns `undefined` without one. The session's last run has none,
 * because its retry would be a later run.
 */
async function earlierRetry(
  { store }: Host,
  { sessionId, run }: SessionState,
  runId: string,
): Promise<RunStart | undefined> {
  return run?.runId === runId ? undefined : await retryOf(store, sessionId, runId);
}

/**
 * Returns the run to retry if it has not ended. Resumes the run if no process is working on it, unless it
 * waits for the user's answer. Otherwise only attaches the signal, which stops it.
 */
async function resumeOrJoin(
  host: Host,
  { signal }: Retry,
  leased: LeasedSession | undefined,
  start: RunStart,
): Promise<Begun> {
  const abandoned = leased && runToResume(leased.log.state);
  if (leased !== undefined && abandoned !== undefined)
    return { start, work: await resumeRun(leased, abandoned, signal) };
  await leased?.close();
  return { start, work: undefined, release: stopOnAbort(host, start, signal) };
}

/** Returns the error for a run that cannot be retried; `undefined` if it can. */
function whyNotRetryable({ run }: SessionState, runId: string): PawlError | undefined {
  if (run?.runId !== runId) {
    return new PawlError("invalid_input", "Only the last run of a session can be retried.");
  }
  if (canBeRetried({ failed: run.failed, ...(run.ended && { stop: run.ended }) })) return undefined;
  return new PawlError(
    "invalid_input",
    "The last message has been answered already, so it cannot be retried. Send a new message.",
  );
}

/**
 * Starts the retry under the session's lease. If another process stored an event first, releases the lease
 * and returns `taken`.
 */
async function startRetry(
  host: Host,
  { session, runId: retried, signal, ...from }: Retry,
  leased: LeasedSession,
): Promise<Begun | "taken"> {
  const { log, callers } = leased;
  try {
    const agent = await leased.readyTo("start");
    const run = {
      runId: host.newId(),
      userData: await userDataFor(loadParts, { agent, session }, leased.access(), {
        clock: host.clock,
        hide: callers.hide,
      }),
      retryOf: retried,
      isGivenAway: leased.isGivenAway,
      ...storedCallerFields(from),
    };
    const atOnce = await leased.startsAtOnce();
    const events = [
      ...startEvents(log.state, agent, host.newId, run),
      ...lackedSpeaker(log.state, agent),
      ...noteFor(log.state),
    ];
    const begun = await startRun(host, { session, agent, run, atOnce, signal }, leased, events);
    if (begun === "overtaken") await leased.close();
    return begun === "overtaken" ? "taken" : begun;
  } catch (error) {
    await leased.close();
    if (PawlError.is(error, "key_taken") || PawlError.is(error, "fenced")) return "taken";
    throw error;
  }
}

/**
 * Returns a note for the model if the context contains text or calls of the failed run. Without this note,
 * the request would not end with a user message. The model could also take the broken-off answer for a
 * complete one.
 */
function noteFor(state: SessionState): NewEvent[] {
  const startSeq = state.run?.seq ?? 0;
  const hasAnswered = admitted(state, state.lastSeq).some(
    ({ role, seq }) => role === "assistant" && seq > startSeq,
  );
  return hasAnswered ? [{ type: "note", data: { text: TRY_AGAIN } }] : [];
}

/** Returns the place in the log where a run begins. */
function startOf({ sessionId }: SessionState, { runId, seq }: RunState): RunStart {
  return { sessionId, runId, afterSeq: seq - 1 };
}

/** Opens the user's session. */
type Open = (
  host: Host,
  agent: Agent,
  toOpen: { userId: string; id: string },
  from: LegOptions,
) => Promise<{ session: Session; leased: LeasedSession | undefined }>;

/** Continues a run with answers, or retries one. */
export async function continueRun(
  host: Host,
  agent: Agent,
  options: RunOptions | RetryRunOptions,
  open: Open,
): Promise<Begun> {
  const { userId, sessionId: id, signal, caller, credentials } = options;
  if (id === undefined || id === "")
    throw new PawlError("invalid_input", "`answers` and `retry` need a `sessionId`.");
  const request = { agent, signal, caller, credentials };
  const toOpen = { userId, id };
  if (options.retry === undefined) {
    const opened = await open(host, agent, toOpen, { caller, credentials });
    const answering = { ...request, session: opened.session, answers: options.answers ?? [] };
    return await beginWithAnswers(host, answering, opened);
  }
  const opened = await open(host, agent, toOpen, senderOf(request));
  return await beginRetry(host, { ...request, session: opened.session, runId: options.retry }, opened);
}
