/** A flag that can be turned on once, and then notifies its listeners. */
export interface Switch {
  readonly isOn: boolean;
  turnOn(): void;
  /** Calls `then` when the switch is turned on. */
  onChange(then: () => void): void;
  /** Removes a function that was given to `onChange`. */
  offChange(then: () => void): void;
}

/** Creates a switch that is off. */
// An AbortController cannot be created in the global scope of a Cloudflare Worker, and works only in the
// request that created it.
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
    },
    offChange(then) {
      listeners.delete(then);
    },
  };
}
