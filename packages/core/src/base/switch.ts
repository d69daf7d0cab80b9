/** A flag that can be turned on once, and then notifies its listeners. */
export interface Switch {
  readonly isOn: boolean;
  turnOn(): void;
  /** Calls `listener` when the switch is turned on; never if it is on already. */
  onChange(listener: () => void): void;
  /** Removes a listener that was added by `onChange`. */
  offChange(listener: () => void): void;
}

/** Creates a switch that is off. */
// Not an AbortController: a Cloudflare Worker cannot create one in its global scope, and can use it only in
// the request that created it.
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
      for (const listener of listeners) listener();
      listeners.clear();
    },
    onChange(listener) {
      listeners.add(listener);
    },
    offChange(listener) {
      listeners.delete(listener);
    },
  };
}
