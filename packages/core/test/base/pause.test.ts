import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { pause } from "../../src/base/clock.ts";

const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length;

describe("waiting by the system clock", () => {
  it("ends when the time has passed, and leaves nothing on the signal", async () => {
    const { signal } = new AbortController();
    await pause(1, signal);
    await pause(0, signal);
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  it("L9 ends at once when the signal fires or has fired, and leaves no timer", async () => {
    const before = timers();
    const stop = new AbortController();
    const waiting = pause(3_600_000, stop.signal);
    stop.abort(new Error("enough"));
    await expect(waiting).rejects.toThrow("enough");
    await expect(pause(0, stop.signal)).rejects.toThrow("enough");
    expect(timers()).toBeLessThanOrEqual(before);
  });

  it("waits longer than a timer can be set for", async () => {
    const stop = new AbortController();
    let over = false;
    const waiting = pause(2 ** 31, stop.signal).finally(() => {
      over = true;
    });
    await pause(20, new AbortController().signal);
    expect(over).toBe(false);
    stop.abort(new Error("enough"));
    await expect(waiting).rejects.toThrow("enough");
  });
});
