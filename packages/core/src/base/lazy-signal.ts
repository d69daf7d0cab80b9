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
