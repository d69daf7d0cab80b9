import { EventEmitter } from "eventemitter3";
import type { Begun } from "./begin.ts";
import { follow, followFrom } from "./events/follow.ts";
import type { Host } from "./host.ts";
import { resultOf } from "./result.ts";
import type { Run, RunResult, SessionEvent } from "./run-handle.ts";
import { loadState } from "./session/load.ts";

/** The handle of a run that is being begun. */
export function makeRun(host: Host, begun: Promise<Begun>): Run {
  const started = begun.then(({ start }) => start);
  const result = begun.then((run) => resultFrom(host, run));
  // Whoever does not look at the one will look at the other, or at neither.
  started.catch(() => undefined);
  result.catch(() => undefined);
  const from = started.then(({ runId, ...start }) => ({ ...start, untilIdle: { runId } }));
  from.catch(() => undefined);
  const events = (): AsyncGenerator<SessionEvent, void, undefined> => followFrom(host, from);
  const emitter = new EventEmitter();
  let pumping = false;
  const pump = async () => {
    for await (const event of events()) emitter.emit(event.type, event);
  };
  const run: Run = {
    started,
    result,
    [Symbol.asyncIterator]: events,
    on: (type, listener) => {
      emitter.on(type, listener);
      if (!pumping) {
        pumping = true;
        // A store that fails is told through `result`.
        pump().catch(() => undefined);
      }
      return run;
    },
    off: (type, listener) => {
      emitter.off(type, listener);
      return run;
    },
  };
  return run;
}

async function resultFrom(host: Host, { start, leg }: Begun): Promise<RunResult> {
  const outcome = await leg?.done;
  if (outcome?.settled) return resultOf(outcome.state);
  const { sessionId, runId, afterSeq } = start;
  for await (const _ of follow(host, sessionId, { afterSeq, untilIdle: { runId } }));
  return resultOf(await loadState(host.store, sessionId));
}
