/** What a {@link QuietTimer} asks and calls. */
interface Watcher {
  /** How long it may be quiet, in milliseconds. */
  afterMs(): number;
  /** Called whenever it was quiet for so long. */
  onQuiet(): void;
}

/**
 * Calls `onQuiet` whenever `heard` was not called for `afterMs()` milliseconds. `heard` does not reset the
 * timer; when the timer fires, it is set again for the time left.
 */
// A class, so that the timers of idle sessions share their functions.
export class QuietTimer {
  readonly #watcher: Watcher;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #timerAt = 0;
  #heardAt = performance.now();

  constructor(watcher: Watcher) {
    this.#watcher = watcher;
  }

  set(): void {
    const at = this.#heardAt + this.#watcher.afterMs();
    if (this.#timer !== undefined && this.#timerAt <= at) return;
    clearTimeout(this.#timer);
    this.#timerAt = at;
    this.#timer = setTimeout(ended, Math.max(0, at - performance.now()), this);
  }

  heard(): void {
    this.#heardAt = performance.now();
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  /** Called when the timer fires. */
  ended(): void {
    this.#timer = undefined;
    if (performance.now() >= this.#heardAt + this.#watcher.afterMs()) {
      this.#heardAt = performance.now();
      this.#watcher.onQuiet();
    }
    this.set();
  }
}

function ended(timer: QuietTimer): void {
  timer.ended();
}
