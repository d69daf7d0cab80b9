import type { NewEvent } from "../../log/event.ts";
import type { SessionLog } from "../../loop/leg/session-log.ts";
import { DECIDE_AGAIN, unlessAgain } from "../../loop/leg/stored-first.ts";
import { eventsOf } from "./held-events.ts";
import { holdEvents, readOthers, writeEvents } from "./session-writer.ts";
import { newWriteQueue } from "./write-queue.ts";
import { newWriter, unlessOvertaken, type WriterParts } from "./writer.ts";

/** What a leg's log is made of. `prepare` returns events in the form in which they are stored. */
interface LogParts extends WriterParts {
  prepare?(events: readonly NewEvent[]): readonly NewEvent[];
  /**
   * Returns what the barrier calls once everything is stored, if somebody else decides whether the run may
   * call the application. That rejects with `DECIDE_AGAIN` if it may not. Default: it may.
   */
  admit?(): (() => Promise<void>) | undefined;
}

/** Opens the log for one leg. */
export function openLog({ prepare = (events) => events, ...parts }: LogParts): SessionLog {
  const writer = newWriter(parts);
  const queue = newWriteQueue(writer);
  const { state } = parts;
  let decidedAt: number | undefined;
  const isVoid = () => decidedAt !== undefined && writer.revision !== decidedAt;
  const unlessVoid = () => {
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
    hold: (events, options) => queue.hold(prepare(events), options),
    decide: () => {
      decidedAt = writer.revision;
    },
    get isVoid() {
      return isVoid();
    },
    follow: (events) => {
      const prepared = prepare(events);
      return queue.alone(async () => {
        unlessVoid();
        const seq = state.lastSeq;
        const tip = writer.held.length === 0 ? {} : { afterSeq: seq };
        const rows = await unlessOvertaken(state, seq, writeEvents(writer, prepared, tip));
        if (rows === undefined) throw DECIDE_AGAIN;
        return rows;
      });
    },
    holdNext: (events) => {
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
        unlessVoid();
      });
      return admit === undefined ? stored : stored.then(admit);
    },
    appendAtTip: (events, { seq = state.lastSeq, ...more } = {}) => {
      const revision = decidedAt ?? writer.revision;
      const prepared = prepare(events);
      return queue.alone(async () => {
        if (writer.revision !== revision) return false;
        const written = writeEvents(writer, prepared, { afterSeq: seq, ...more });
        return (await unlessOvertaken(state, seq, written)) !== undefined;
      });
    },
    catchUp: () =>
      queue.inTurn(async () => {
        await readOthers(writer).catch(unlessAgain);
      }),
    unstored: () => eventsOf(writer.held),
  };
}
