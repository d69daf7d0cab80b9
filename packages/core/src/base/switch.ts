/** A flag that is set once, and calls back when it is. */
export interface Switch {
  readonly isOn: boolean;
  turnOn(): void;
  /** Calls `then` when the switch is turned on. The returned function removes it. */
  onChange(then: () => void): () => void;
}

/** Makes a switch. */
// An AbortController cannot be made in the global scope of a Cloudflare Worker, and works in the request that
// made it only.
export function newSwitch(): Switch {
  const listeners = new Set<() => void>();
  let isOn = false;
  return {
    get isOn() {
      return isOn;
    },
    turnOn() {
      if (isOn) return;
      isOn = true;
      for (const then of listeners) then();
      listeners.clear();
    },
    onChange(then) {
      listeners.add(then);
      return () => listeners.delete(then);
    },
  };
}
