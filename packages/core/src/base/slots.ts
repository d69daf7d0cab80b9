/** A limited number of places for work. */
export interface Slots {
  /** Takes a place and returns a function that frees it. Returns `undefined` if no place is free. */
  tryTake(): (() => void) | undefined;
  /** Calls `listener` whenever a place has become free. */
  onFree(listener: () => void): void;
  /** The number of places. */
  readonly most: number;
}

/** Creates `most` free places; `Infinity` for no limit. */
export function newSlots(most: number): Slots {
  const listeners: (() => void)[] = [];
  let taken = 0;
  return {
    most,
    tryTake: () => {
      if (taken >= most) return undefined;
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
}
