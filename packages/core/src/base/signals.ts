/** Works like `AbortSignal.any`, also on platforms without it, e.g. some edge runtimes. */
export function anySignal(signals: readonly AbortSignal[]): AbortSignal {
  if ("any" in AbortSignal) return AbortSignal.any([...signals]);
  const control = new AbortController();
  for (const signal of signals) {
    if (signal.aborted) control.abort(signal.reason);
    else signal.addEventListener("abort", () => control.abort(signal.reason), { once: true });
  }
  return control.signal;
}

/** An object whose `signal` is made when it is first read. Copies of the object have the signal too. */
// A class, so that all its objects share one getter. For an object literal with a getter, V8 takes three
// times as long.
export class LazySignal {
  declare readonly signal: AbortSignal;
  readonly #make: () => AbortSignal;
  #made: AbortSignal | undefined;

  constructor(make: () => AbortSignal) {
    this.#make = make;
    Object.defineProperty(this, "signal", LAZY);
  }

  static read(lazy: LazySignal): AbortSignal {
    lazy.#made ??= lazy.#make();
    return lazy.#made;
  }
}

const LAZY: PropertyDescriptor = {
  get(this: LazySignal) {
    return LazySignal.read(this);
  },
  enumerable: true,
};
