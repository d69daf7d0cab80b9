import type { Clock } from "../base/clock.ts";
import type { HeldPlace } from "../base/work-limit.ts";

/** A body that keeps this pace keeps the room for all of it. */
const PACE = { bytes: 100_000, ms: 1_000 };

interface Arriving {
  place: HeldPlace;
  /** The bytes for which the place has room: what the client says that it sends. */
  bytes: number;
  clock: Clock;
  signal: AbortSignal | undefined;
}

/** The room of a file that arrives. */
export interface ArrivingBytes {
  /** Waits until there is room for this many bytes in all. @throws PawlError `overloaded` */
  arrived(length: number): Promise<void>;
  /** Stops watching: everything has arrived, or nothing more will. */
  end(): void;
}

/**
 * Holds room for a file while its bytes arrive. At first, it is room for all that the client has announced.
 * From the first second in which too little arrives, it is only room for what has arrived. So a client that
 * sends nothing takes nothing from others.
 */
// Without the room in advance, many uploads at once would each get a part of their room, and none could end.
export function arrivingBytes({ place, bytes, clock, signal }: Arriving): ArrivingBytes {
  let room = bytes;
  let now = 0;
  let before = 0;
  const look = () => {
    if (now - before < PACE.bytes) {
      if (now < room) place.holds(now);
      room = Math.min(room, now);
      return;
    }
    before = now;
    cancel = clock.after(PACE.ms, look, { background: true });
  };
  let cancel = clock.after(PACE.ms, look, { background: true });
  return {
    arrived: async (length) => {
      now = length;
      if (now <= room) return;
      // A wait is not the client's fault, and the room must not change meanwhile.
      cancel();
      await place.grow(now, signal);
      room = now;
    },
    end: () => cancel(),
  };
}
