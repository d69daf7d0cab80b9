/** The callbacks of a {@link QuietTimer}. */
interface Watcher {
  /** Returns after how many milliseconds without a call of `heard()` the timer calls `onQuiet()`. */
  afterMs(): number;
  /** Called when `heard()` was not called for so long. */
  onQuiet(): void;
}

/**
 * Calls `onQuiet()` each time `heard()` was not called for `afterMs()` milliseconds. `heard()` only notes the
 * time, because it is called often. When the timer fires too early, it is set again for the time left.
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

  /** Starts the timer, or lets it fire earlier if `afterMs()` has become shorter. */
  set(): void {
    const fireAt = this.#heardAt + this.#watcher.afterMs();
    if (this.#timer !== undefined && this.#timerAt <= fireAt) return;
    clearTimeout(this.#timer);
    this.#timerAt = fireAt;
    this.#timer = setTimeout(onTimeout, Math.max(0, fireAt - performance.now()), this);
  }

  /** Restarts the time of quiet. */
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

/** The callback of `setTimeout`: one function for all timers. */
function onTimeout(timer: QuietTimer): void {
  timer.ended();
}
