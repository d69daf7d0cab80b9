/** A limited number of places for work. */
export interface Slots {
  /** Takes a place and returns a function that frees it. Returns `undefined` if no place is free. */
  tryTake(): (() => void) | undefined;
  /** Calls `listener` whenever a place has become free. */
  onFree(listener: () => void): void;
  /** The number of places. May be changed while places are taken. */
  most: number;
}

/** Creates `most` free places; `Infinity` for no limit. */
export function newSlots(most: number): Slots {
  const listeners: (() => void)[] = [];
  let taken = 0;
  const slots: Slots = {
    most,
    tryTake: () => {
      if (taken >= slots.most) return undefined;
      taken += 1;
      let isFreed = false;
      return () => {
        if (isFreed) return;
        isFreed = true;
        taken -= 1;
        for (const listener of listeners) listener();
      };
    },
    onFree: (listener) => void listeners.push(listener),
  };
  return slots;
}
