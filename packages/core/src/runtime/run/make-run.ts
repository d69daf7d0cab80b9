import { trackUntilSettled } from "../../base/counted.ts";
import { inNextTurn } from "../../base/next-turn.ts";
import { lazy } from "../../base/once.ts";
import { applyEvent } from "../../fold/apply.ts";
import { type AwaitedRun, successorOf } from "../../log/handover.ts";
import { checkListening } from "../../log/store/event-names.ts";
import type { SessionEvent } from "../../log/store/live-event.ts";
import { readShown } from "../../log/store/redacted.ts";
import { followFrom, listenFrom, textFrom } from "../../readers/follow.ts";
import { newSessionState } from "../../session/new-state.ts";
import { isSettled } from "../../session/queued.ts";
import { type RunResult, resultOf } from "../../session/run-result.ts";
import type { SessionState } from "../../session/state.ts";
import type { Begun } from "../begin/begin.ts";
import { stopOnAbort } from "../begin/stop-on-abort.ts";
import type { Host } from "../leg/host.ts";
import type { Run, RunStart } from "../leg/run-handle.ts";

/** The fields of a run's result. In plain JavaScript, `await pawl.run(…)` looks as if it had them. */
const RESULT_FIELDS = "text output stop actions turns usage costUsd pending sessionId runId".split(" ");

/** Makes the prototype of a runtime's runs: each field of a result calls `misread` with its name. */
export function notResult(misread: (field: string) => void): object {
  const getters = RESULT_FIELDS.map((field) => [field, { get: () => misread(field) }]);
  return Object.defineProperties({}, Object.fromEntries(getters));
}

/** Makes the {@link Run} of a run that is being started. */
export function makeRun(host: Host, begun: Promise<Begun>, signal?: AbortSignal): Run {
  let isBegun = false;
  let isRead = false;
  const started = begun.then(({ start }) => {
    isBegun = true;
    return start;
  });
  const settled = begun.then((run) =>
    trackUntilSettled(host.reads, resultFrom(host, run, signal)).finally(run.release),
  );
  // `result` settles after the listeners have received the last event, so that output is in order and
  // complete.
  let listening = Promise.resolve();
  const result = settled.finally(() => listening);
  // If the leg fails in this process, no more events may come. So the iterators throw its error.
  const failure = new AbortController();
  settled.catch((error: unknown) => {
    failure.abort(error);
    // A failure that nobody has asked for by now is reported: unhandled, it would have ended the process.
    inNextTurn(() => {
      if (!isRead) host.unread(error, isBegun);
    });
  });
  const followOptions = started.then((start) => ({
    ...start,
    untilIdle: start,
    failure: failure.signal,
    wholeText: true,
  }));
  // Callers may use only one of these promises, or none: an unhandled rejection would end the process.
  for (const one of [started, result, followOptions]) one.catch(() => undefined);
  const listeners = new Map<string, readonly ((event: never) => void)[]>();
  const emit = (event: SessionEvent): void => {
    for (const listener of listeners.get(event.type) ?? []) callSafely(listener, event as never);
  };
  // All listeners share one reader, which starts with the first listener.
  const startListening = lazy(() => listenFrom(host, followOptions, emit));
  const run: Run & { __proto__: object } = {
    __proto__: host.notResult,
    get started() {
      isRead = true;
      return started;
    },
    get result() {
      isRead = true;
      return result;
    },
    [Symbol.asyncIterator]: () => {
      isRead = true;
      return followFrom(host, followOptions);
    },
    get textStream() {
      isRead = true;
      return textFrom(host, followOptions);
    },
    on: (type, listener) => {
      isRead = true;
      checkListening(type, listener);
      listeners.set(type, [...(listeners.get(type) ?? []), listener]);
      // If the store fails, `result` rejects with the error.
      listening = startListening().catch(() => undefined);
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

/**
 * Calls a listener. If it throws, its error becomes an uncaught exception, and other listeners are still
 * called.
 */
function callSafely<T>(listener: (event: T) => void, event: T): void {
  try {
    listener(event);
  } catch (error) {
    setTimeout(() => {
      throw error;
    });
  }
}

/** Returns the result of a run once the run has ended or asks the user, in any process. */
async function resultFrom(
  host: Host,
  { start, work, release }: Begun,
  signal: AbortSignal | undefined,
): Promise<RunResult> {
  const outcome = await work?.done;
  if (outcome?.settled && isSettled(outcome.state)) return resultOf(outcome.state);
  // No leg of this process listens to the signal now, e.g. because the run waits for a time. With `release`,
  // the signal is attached already.
  const detach = release === undefined ? stopOnAbort(host, start, signal) : undefined;
  const failure = new AbortController();
  void failureOfWakes(host, start.sessionId).then((error) => failure.abort(error));
  return resultOf(await settledState(host, start, failure.signal).finally(detach));
}

/**
 * Resolves to the error of the first leg that fails after a timer of this process has started it. Never
 * settles if no such leg fails.
 */
async function failureOfWakes({ wakes }: Host, sessionId: string): Promise<unknown> {
  for (let wake = wakes.get(sessionId); wake !== undefined; wake = wakes.get(sessionId)) {
    const work = await wake.work;
    const failure = await work.done.then(
      () => undefined,
      (error: unknown) => ({ error }),
    );
    if (failure !== undefined) return failure.error;
  }
  return await new Promise(() => undefined);
}

/**
 * Waits until the run, or the later run to which its message was handed over, has settled in any process.
 * Returns the session's state at that moment, without later events.
 */
async function settledState(
  host: Host,
  { sessionId, ...start }: RunStart,
  failure: AbortSignal,
): Promise<SessionState> {
  const state = newSessionState(sessionId);
  let awaited: AwaitedRun = start;
  for await (const event of readShown(host.store, sessionId)) {
    applyEvent(state, event);
    const successor = successorOf(awaited, event);
    if (successor === undefined && event.type === "run_ended" && event.data.run_id === awaited.runId)
      return state;
    awaited = successor ?? awaited;
  }
  if (state.run?.runId === awaited.runId && isSettled(state)) return state;
  const options = { sessionId, afterSeq: state.lastSeq, untilIdle: awaited, failure };
  for await (const event of followFrom(host, options)) {
    if ("seq" in event) applyEvent(state, event);
  }
  return state;
}
