import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import type { Clock } from "../../src/base/clock.ts";
import { withinDeadline, withTimeLimit } from "../../src/base/deadline.ts";
import { never } from "../support/setup.ts";

/** A clock whose timers fire by hand: `waits` has those that are set. */
function handClock() {
  const waits = new Map<number, () => void>();
  const clock: Clock = {
    now: () => 0,
    after: (ms, then) => {
      waits.set(ms, then);
      return () => void waits.delete(ms);
    },
  };
  return { clock, waits };
}

const GRACE = { abortGraceMs: 20, timeoutMs: 500 };

describe("work within a deadline", () => {
  it("L9 leaves no listener and no timer behind, however it ends", async () => {
    const { clock, waits } = handClock();
    const { signal } = new AbortController();
    const deadline = { clock, signal, ...GRACE };
    expect(await withinDeadline(deadline, Promise.resolve("done"))).toBe("done");
    await expect(withinDeadline(deadline, Promise.reject(new Error("bad")))).rejects.toThrow("bad");
    const late = withinDeadline(deadline, never());
    waits.get(500)?.();
    await expect(late).rejects.toThrow("Timed out after 500 ms.");
    expect([getEventListeners(signal, "abort"), waits.size]).toEqual([[], 0]);
  });

  it("L9 has the grace after its signal is aborted, also if that was before", async () => {
    const { clock, waits } = handClock();
    const control = new AbortController();
    const first = withinDeadline({ clock, signal: control.signal, ...GRACE }, never());
    control.abort("stopped");
    const second = withinDeadline({ clock, signal: control.signal, ...GRACE }, Promise.resolve("in time"));
    expect(await second).toBe("in time");
    const third = withinDeadline({ clock, signal: control.signal, abortGraceMs: 30 }, never());
    waits.get(30)?.();
    await expect(third).rejects.toBe("stopped");
    expect(waits.has(30)).toBe(false);
    await expect(withinDeadline({ clock, signal: control.signal }, never())).rejects.toBe("stopped");
    void first.catch(() => undefined);
  });

  it("L9 gets a signal that is aborted when its time is up, and cancels the timer when it ends before", async () => {
    const { clock, waits } = handClock();
    expect(await withTimeLimit(clock, 50, async ({ aborted }) => aborted)).toBe(false);
    expect(waits.size).toBe(0);
    const waiting = withTimeLimit(clock, 50, async (signal) => {
      waits.get(50)?.();
      return signal.aborted;
    });
    expect(await waiting).toBe(true);
  });
});
