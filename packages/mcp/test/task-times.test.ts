import { describe, expect, it } from "vitest";
import { nextPoll, type OpenTask, timesOf } from "../src/tools/task-state.ts";

const task = (more: Partial<OpenTask> = {}): OpenTask => ({
  ...{ id: "t1", wire: "v2", since: 0, until: 86_400_000, pollMs: 1_000, round: 0 },
  ...{ requests: {}, answers: {}, asking: null, sent: [], failures: 0, session: undefined },
  ...more,
});

describe("the time of the next question about a task", () => {
  it("F24 T14 is later the more often its server could not be asked, up to a minute", () => {
    const pauses = (random: number) =>
      [0, 1, 2, 3, 10, 1_000].map((failures) => nextPoll(task({ failures }), 0, () => random));
    expect(pauses(0)).toEqual([1_000, 2_000, 4_000, 8_000, 60_000, 60_000]);
    expect(pauses(1)).toEqual([1_000, 1_500, 3_000, 6_000, 45_000, 45_000]);
  });

  it("F24 T14 is later the longer it has been running, and not after its end", () => {
    const pauseAt = (now: number, more?: Partial<OpenTask>) => nextPoll(task(more), now) - now;
    expect([0, 80_000, 3_600_000].map((now) => pauseAt(now))).toEqual([1_000, 10_000, 60_000]);
    expect(pauseAt(3_600_000, { pollMs: 120_000 })).toBe(120_000);
    expect(pauseAt(86_399_000)).toBe(1_000);
    expect(pauseAt(86_400_000)).toBe(250);
  });

  it("F24 T14 has bounds, whatever the server wants", () => {
    const options = { name: "test", url: "https://mcp.example.com" };
    const wanted = [0, -5, 250, 5_000, 1e12].map(
      (pollMs) => timesOf(options, 0, { ttlMs: null, pollMs }).pollMs,
    );
    expect(wanted).toEqual([250, 250, 250, 5_000, 3_600_000]);
    expect(timesOf(options, 5, { ttlMs: 100, pollMs: 250 }).until).toBe(105);
    expect(timesOf(options, 0, { ttlMs: 1e12, pollMs: 250 }).until).toBe(86_400_000);
  });
});
