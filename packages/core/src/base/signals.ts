/** Works like `AbortSignal.any`, but also on platforms without it, e.g. some edge runtimes. */
export function anySignal(signals: readonly AbortSignal[]): AbortSignal {
  if ("any" in AbortSignal) return AbortSignal.any([...signals]);
  const control = new AbortController();
  for (const signal of signals) {
    if (signal.aborted) control.abort(signal.reason);
    else signal.addEventListener("abort", () => control.abort(signal.reason), { once: true });
  }
  return control.signal;
}

/**
 * An object whose `signal` is created when it is first read. A copy by `{ ...object }` has the signal too.
 */
// A class, so that all objects share one getter. V8 takes three times as long to create an object literal
// with a getter.
export class LazySignal {
  declare readonly signal: AbortSignal;
  readonly #make: () => AbortSignal;
  #made: AbortSignal | undefined;

  constructor(make: () => AbortSignal) {
    this.#make = make;
    Object.defineProperty(this, "signal", LAZY);
  }

  /** Returns the signal, and creates it if this is the first read. */
  static read(lazy: LazySignal): AbortSignal {
    lazy.#made ??= lazy.#make();
    return lazy.#made;
  }
}

/** The property `signal`. Each object gets it as an own property, because copies leave out inherited ones. */
const LAZY: PropertyDescriptor = {
  get(this: LazySignal) {
    return LazySignal.read(this);
  },
  enumerable: true,
};
