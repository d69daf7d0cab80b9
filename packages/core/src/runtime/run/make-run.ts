import { counted } from "../../base/counted.ts";
import { once } from "../../base/once.ts";
import { applyEvent } from "../../fold/apply.ts";
import { type AwaitedRun, successorOf } from "../../log/handover.ts";
import { checkListening } from "../../log/store/event-names.ts";
import type { SessionEvent } from "../../log/store/live-event.ts";
import { readShown } from "../../log/store/redacted.ts";
import { followFrom, listenFrom, textFrom } from "../../readers/follow.ts";
import { isSettled } from "../../session/queued.ts";
import { type RunResult, resultOf } from "../../session/run-result.ts";
import { newSessionState, type SessionState } from "../../session/state.ts";
import type { Begun } from "../begin/begin.ts";
import { stopOnAbort } from "../begin/stop-on-abort.ts";
import type { Host } from "../leg/host.ts";
import type { Run, RunStart } from "../leg/run-handle.ts";

/** Makes the {@link Run} of a run that is being started. */
export function makeRun(host: Host, begun: Promise<Begun>, signal?: AbortSignal): Run {
  const started = begun.then(({ start }) => start);
  const settled = begun.then((run) =>
    counted(host.reads, resultFrom(host, run, signal)).finally(run.release),
  );
  // Listeners have the last event before `result` settles, so that output is in order and complete.
  let listening = Promise.resolve();
  const result = settled.finally(() => listening);
  // Callers may use only one of the two promises, or neither: an unhandled rejection would end the process.
  started.catch(() => undefined);
  // If the leg fails in this process, iterators throw its error, because no more events may come.
  const failure = new AbortController();
  result.catch(() => undefined);
  settled.catch((error: unknown) => failure.abort(error));
  const from = started.then((start) => ({
    ...start,
    untilIdle: start,
    failure: failure.signal,
    wholeText: true,
  }));
  from.catch(() => undefined);
  const events = (): AsyncGenerator<SessionEvent, void, undefined> => followFrom(host, from);
  const listeners = new Map<string, readonly ((event: never) => void)[]>();
  const emit = (event: SessionEvent): void => {
    for (const listener of listeners.get(event.type) ?? []) callSafely(listener, event as never);
  };
  const pump = once(() => listenFrom(host, from, emit));
  const run: Run = {
    started,
    result,
    [Symbol.asyncIterator]: events,
    get textStream() {
      return textFrom(host, from);
    },
    on: (type, listener) => {
      checkListening(type, listener);
      listeners.set(type, [...(listeners.get(type) ?? []), listener]);
      // `result` rejects if the store fails.
      listening = pump().catch(() => undefined);
      return run;
    },
    off: (type, listener) => {
      checkListening(type, listener);
      listeners.set(
        type,
        (listeners.get(type) ?? []).filter((one) => one !== listener),
      );
      return run;
    },
  };
  return run;
}

/** Calls a listener. Its exception becomes an uncaught one, and other listeners are still called. */
function callSafely<T>(listener: (event: T) => void, event: T): void {
  try {
    listener(event);
  } catch (error) {
    setTimeout(() => {
      throw error;
    });
  }
}

async function resultFrom(
  host: Host,
  { start, work, release }: Begun,
  signal: AbortSignal | undefined,
): Promise<RunResult> {
  const outcome = await work?.done;
  if (outcome?.settled && isSettled(outcome.state)) return resultOf(outcome.state);
  // The run waits for a time, and no leg listens to the signal.
  const leave = release === undefined ? stopOnAbort(host, start, signal) : undefined;
  const failure = new AbortController();
  void failureOfWakes(host, start.sessionId).then((error) => failure.abort(error));
  return resultOf(await settledState(host, start, failure.signal).finally(leave));
}

/** Resolves to the error of the first work that a timer of this process starts for the run and that fails. */
async function failureOfWakes({ wakes }: Host, sessionId: string): Promise<unknown> {
  for (let wake = wakes.get(sessionId); wake !== undefined; wake = wakes.get(sessionId)) {
    const work = await wake.work;
    const failed = await work.done.then(
      () => undefined,
      (error: unknown) => ({ error }),
    );
    if (failed !== undefined) return failed.error;
  }
  return await new Promise(() => undefined);
}

/**
 * Waits until the run, or the run that picked its message up, has settled in any process. Returns the
 * session's state at that moment, without later events.
 */
async function settledState(
  host: Host,
  { sessionId, ...start }: RunStart,
  failure: AbortSignal,
): Promise<SessionState> {
  const state = newSessionState(sessionId);
  let untilIdle: AwaitedRun = start;
  for await (const event of readShown(host.store, sessionId)) {
    applyEvent(state, event);
    const heir = successorOf(untilIdle, event);
    if (heir === undefined && event.type === "run_ended" && event.data.run_id === untilIdle.runId)
      return state;
    untilIdle = heir ?? untilIdle;
  }
  if (state.run?.runId === untilIdle.runId && isSettled(state)) return state;
  const options = { sessionId, afterSeq: state.lastSeq, untilIdle, failure };
  for await (const event of followFrom(host, options)) {
    if ("seq" in event) applyEvent(state, event);
  }
  return state;
}
