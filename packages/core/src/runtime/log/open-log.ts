import type { NewEvent } from "../../log/event.ts";
import type { SessionLog } from "../../loop/leg/session-log.ts";
import { DECIDE_AGAIN, rethrowDecideAgain } from "../../loop/leg/stored-first.ts";
import { eventsOf } from "./held-events.ts";
import { holdEvents, readOthers, writeEvents } from "./session-writer.ts";
import { newWriteQueue } from "./write-queue.ts";
import { newWriter, unlessOvertaken, type WriterParts } from "./writer.ts";

/** The parts of a leg's log. */
interface LogParts extends WriterParts {
  /** Returns events in the form in which they are stored. Default: unchanged. */
  prepare?(events: readonly NewEvent[]): readonly NewEvent[];
  /**
   * Returns a check that the barrier runs once the held events are stored; `undefined` if nothing has to be
   * checked, as by default. The check rejects with `DECIDE_AGAIN` if the run may not call the application.
   */
  admit?(): (() => Promise<void>) | undefined;
}

/** Opens the log of one leg. */
export function openLog({ prepare = (events) => events, ...parts }: LogParts): SessionLog {
  const writer = newWriter(parts);
  const queue = newWriteQueue(writer);
  const { state } = parts;
  /** The writer's revision at the last decision. */
  let decidedAt: number | undefined;
  const isVoid = () => decidedAt !== undefined && writer.revision !== decidedAt;
  const throwIfVoid = () => {
    if (isVoid()) throw DECIDE_AGAIN;
  };
  return {
    state,
    get storedSeq() {
      return state.lastSeq - eventsOf(writer.held).length;
    },
    get isGivenAway() {
      return writer.isGivenAway;
    },
    add: (events) => queue.join(prepare(events)),
    holdFacts: (events, options) => queue.hold(prepare(events), options),
    beginDecision: () => {
      decidedAt = writer.revision;
    },
    get isVoid() {
      return isVoid();
    },
    storeDecision: (events) => {
      const prepared = prepare(events);
      return queue.alone(async () => {
        throwIfVoid();
        const seq = state.lastSeq;
        // The decision relies on the numbers of the held events, so the log must not have others.
        const condition = writer.held.length === 0 ? {} : { afterSeq: seq };
        const rows = await unlessOvertaken(state, seq, writeEvents(writer, prepared, condition));
        if (rows === undefined) throw DECIDE_AGAIN;
        return rows;
      });
    },
    holdDecision: (events) => {
      const prepared = prepare(events);
      return queue.alone(async () => {
        if (!isVoid()) holdEvents(writer, prepared, { follows: true });
      });
    },
    barrier: () => {
      const admit = parts.admit?.();
      if (writer.held.length === 0 && !writer.isStale) return admit?.();
      const stored = queue.alone(async () => {
        await writeEvents(writer, []);
        throwIfVoid();
      });
      return admit === undefined ? stored : stored.then(admit);
    },
    appendAtTip: (events, { seq = state.lastSeq, ...options } = {}) => {
      const revision = decidedAt ?? writer.revision;
      const prepared = prepare(events);
      return queue.alone(async () => {
        if (writer.revision !== revision) return false;
        const written = writeEvents(writer, prepared, { afterSeq: seq, ...options });
        return (await unlessOvertaken(state, seq, written)) !== undefined;
      });
    },
    catchUp: () =>
      queue.inTurn(async () => {
        await readOthers(writer).catch(rethrowDecideAgain);
      }),
    unstored: () => eventsOf(writer.held),
  };
}
