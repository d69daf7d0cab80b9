import type { Agent } from "../../agent/agent.ts";
import { delay } from "../../base/clock.ts";
import { PawlError } from "../../base/errors.ts";
import { admitted } from "../../context/admit.ts";
import { loadState } from "../../fold/load.ts";
import type { NewEvent } from "../../log/event.ts";
import type { Session } from "../../log/session-row.ts";
import { canBeRetried } from "../../log/stop-reason.ts";
import { fetchUserData } from "../../loop/fetch-user-data.ts";
import { startEvents } from "../../loop/start-run.ts";
import { runToResume } from "../../session/queued.ts";
import { openRun, type SessionState } from "../../session/state.ts";
import type { AskedBy, Host } from "../leg/host.ts";
import type { OpenLeg } from "../leg/leg-runner.ts";
import { openLeg } from "../leg/open-leg.ts";
import type { RunStart } from "../leg/run-handle.ts";
import { type Begun, PAUSE_MS, resumeRun } from "./begin.ts";
import { retryOf } from "./earlier-run.ts";
import { busy, calledBy, senderOf } from "./incoming-message.ts";
import { stopOnAbort } from "./stop-on-abort.ts";
import { startRun } from "./store-start.ts";

/** The run to retry. */
interface Retry extends AskedBy {
  session: Session;
  agent: Agent;
  runId: string;
  signal?: AbortSignal | undefined;
}

/** The note for the model if the failed run left text or calls in the context. */
const TRY_AGAIN =
  "Your answer to the user's last message broke off, and the user asks you to try again. Results of your tool calls still count. " +
  "What you wrote after the last of them is no longer shown to the user: answer anew.";

/**
 * Starts a run that retries the last message. Returns the existing retry if there is one, or the given run if
 * it has not ended.
 *
 * @throws PawlError `invalid_input` if the run did not fail or is not the last one; `session_busy` if another
 * run is open.
 */
export async function beginRetry(
  host: Host,
  retry: Retry,
  opened: { leg: OpenLeg | undefined },
): Promise<Begun> {
  const { session, agent, runId } = retry;
  // By then, another leg that holds the session has ended or lost its lease.
  const patienceMs = host.leaseTtlMs + agent.userDataTimeoutMs + agent.toolsTimeoutMs;
  for (let waited = PAUSE_MS; ; waited += PAUSE_MS) {
    const isFirst = waited === PAUSE_MS;
    const leg = isFirst ? opened.leg : await openLeg(host, session, agent, senderOf(retry));
    const state = leg?.log.state ?? (await loadState(host.store, session.id));
    const earlier = await earlierRetry(host, state, runId).catch(async (error: unknown) => {
      await leg?.close();
      throw error;
    });
    if (earlier !== undefined) {
      await leg?.close();
      return { start: earlier, leg: undefined };
    }
    const open = openRun(state);
    if (open?.runId === runId) return await resumeOrJoin(host, retry, leg, startOf(state));
    const refused = open === undefined ? unlessRetryable(state, runId) : busy();
    if (refused !== undefined) {
      await leg?.close();
      throw refused;
    }
    const begun = leg === undefined ? "taken" : await startRetry(host, retry, leg);
    if (begun !== "taken") return begun;
    if (waited >= patienceMs) throw busy();
    await delay(host.clock, PAUSE_MS);
  }
}

/** Finds the retry of a run. The session's last run has none, because its retry would be a later run. */
async function earlierRetry(
  { store }: Host,
  { sessionId, run }: SessionState,
  runId: string,
): Promise<RunStart | undefined> {
  return run?.runId === runId ? undefined : await retryOf(store, sessionId, runId);
}

/**
 * Handles a run that has not ended: resumes the run if no process is working on it, unless it waits for the
 * user's answer.
 */
async function resumeOrJoin(
  host: Host,
  { signal }: Retry,
  leg: OpenLeg | undefined,
  start: RunStart,
): Promise<Begun> {
  const left = leg && runToResume(leg.log.state);
  if (leg !== undefined && left !== undefined) return { start, leg: await resumeRun(leg, left, signal) };
  await leg?.close();
  return { start, leg: undefined, release: stopOnAbort(host, start, signal) };
}

function unlessRetryable({ run }: SessionState, runId: string): PawlError | undefined {
  if (run?.runId !== runId) {
    return new PawlError("invalid_input", "Only the last run of a session can be retried.");
  }
  if (canBeRetried({ failed: run.failed, ...(run.ended && { stop: run.ended }) })) return undefined;
  return new PawlError(
    "invalid_input",
    "The last message has been answered already, so it cannot be retried. Send a new message.",
  );
}

/** Starts the retry. If another process stored something first, the leg is closed. */
async function startRetry(
  host: Host,
  { session, runId: retried, signal, ...from }: Retry,
  leg: OpenLeg,
): Promise<Begun | "taken"> {
  const { log, held } = leg;
  try {
    const agent = await leg.readyTo("start");
    const run = {
      runId: host.newId(),
      userData: await fetchUserData({ agent, session }, leg.access(), { clock: host.clock, hide: held.hide }),
      retryOf: retried,
      isGivenAway: leg.isGivenAway,
      ...calledBy(from),
    };
    const atOnce = await leg.startsAtOnce();
    const events = [...startEvents(log.state, agent, host.newId, run), ...noteFor(log.state)];
    const begun = await startRun(host, { session, agent, run, atOnce, signal }, leg, events);
    if (begun === "overtaken") await leg.close();
    return begun === "overtaken" ? "taken" : begun;
  } catch (error) {
    await leg.close();
    if (PawlError.is(error, "key_taken") || PawlError.is(error, "fenced")) return "taken";
    throw error;
  }
}

/**
 * Returns a note for the model if the failed run's text is in the context. Without this note, the request
 * would not end with a user message, and the model could take the broken-off answer for a complete one.
 */
function noteFor(state: SessionState): NewEvent[] {
  const since = state.run?.seq ?? 0;
  const hasSpoken = admitted(state, state.lastSeq).some(
    ({ role, seq }) => role === "assistant" && seq > since,
  );
  return hasSpoken ? [{ type: "note", data: { text: TRY_AGAIN } }] : [];
}

function startOf({ sessionId, run }: SessionState): RunStart {
  return { sessionId, runId: run?.runId ?? "", afterSeq: (run?.seq ?? 1) - 1 };
}
