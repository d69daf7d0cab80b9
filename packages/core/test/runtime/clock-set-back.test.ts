import { type Reply, testClock } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { agentTool, memoryStore, tool } from "../../src/index.ts";
import { type Options, user } from "../support/setup.ts";
import { nothing } from "../support/tools.ts";
import { answersOf, asking, boot, clean, expires, isOver, polling, script, yes } from "../support/waits.ts";

const asks = clean(asking);
const YEAR = 365 * 24 * 3_600_000;

/** A store whose clock is ahead of the processes' timers by `ahead.ms`, and a process over it. */
function ahead(tools: Options["tools"] & {} = [asks], left: readonly Reply[] = script) {
  const clock = testClock();
  const off = { ms: 0 };
  const store = memoryStore({ now: () => clock.now() + off.ms });
  const process = (rest: readonly Reply[]) => boot(tools, { clock, store, left: rest });
  return { clock, off, store, process, first: process(left) };
}

const ended = { value: { ok: false }, expired: true };

describe("a wait that was stored while the store's clock was ahead", () => {
  it.each([
    ["a year", YEAR],
    ["half its duration", 30_000],
  ])("F26 lasts its own duration once the clock was set back by %s", async (_, ms) => {
    const { clock, off, store, process, first } = ahead();
    off.ms = ms;
    const { sessionId } = await first.say("Go");
    await first.pawl.drain();
    off.ms = 0;
    const second = process(script.slice(1));
    await second.pawl.sweep({ wait: true });
    const before = await second.log(sessionId);
    // The sweep has stored once when the wait ends. Until then, no sweep stores anything.
    expect(before.filter(({ type }) => type === "run_suspended")).toHaveLength(2);
    for (const step of [29_000, 30_000]) {
      await clock.advance(step);
      await second.pawl.sweep({ wait: true });
      expect(await second.log(sessionId)).toEqual(before);
    }
    await clock.advance(1_001);
    await second.pawl.sweep({ wait: true });
    expect(await answersOf(second, sessionId)).toEqual([ended]);
    expect(await isOver(second, sessionId)).toBe(true);
    expect(await store.listRecoverable({ limit: 10 })).toEqual([]);
  });

  it("F26 ends without a sweep, by the timer of its process, after its duration twice at most", async () => {
    const { clock, off, first } = ahead();
    off.ms = YEAR;
    const { sessionId } = await first.say("Go");
    off.ms = 0;
    await clock.advance(60_001);
    expect(await answersOf(first, sessionId)).toEqual([]);
    await clock.advance(60_001);
    expect(await answersOf(first, sessionId)).toEqual([ended]);
  });

  it("F26 ends as often as a call waits: the log's times stand still, and each wait has its duration", async () => {
    const { clock, off, process, first } = ahead([clean(polling)]);
    off.ms = YEAR;
    const { sessionId } = await first.pawl.run("tester", { ...user, input: "Go" }).started;
    await expect.poll(async () => (await first.of(sessionId, "run_suspended")).length).toBe(1);
    await first.pawl.drain();
    off.ms = 0;
    const second = process(script.slice(1));
    await second.pawl.sweep({ wait: true });
    for (const waits of [1, 2, 3]) {
      await clock.advance(59_000);
      await second.pawl.sweep({ wait: true });
      expect(await answersOf(second, sessionId)).toHaveLength(waits - 1);
      await clock.advance(1_001);
      await second.pawl.sweep({ wait: true });
      expect(await answersOf(second, sessionId)).toHaveLength(waits);
      await second.pawl.sweep({ wait: true });
    }
    expect(await isOver(second, sessionId)).toBe(true);
  });

  it("F26 of a sub-agent ends after its duration twice at most", async () => {
    const left: Reply[] = [
      { tools: [{ name: "helper", id: "h1", input: { task: "Ask." } }] },
      { tools: [{ name: "clean", id: "c1" }] },
      { text: "Helped." },
      { text: "Ok." },
    ];
    const helperOf = (replies: readonly Reply[]) =>
      agentTool({ agent: boot([asks], { left: replies }).agent, name: "helper", description: "Helps." });
    const clock = testClock();
    const off = { ms: YEAR };
    const store = memoryStore({ now: () => clock.now() + off.ms });
    const process = (outer: readonly Reply[], inner: readonly Reply[]) =>
      boot([helperOf(inner)], { clock, store, left: outer });
    const first = process([...left.slice(0, 1), ...left.slice(3)], left.slice(1, 3));
    const { sessionId } = await first.say("Go");
    await first.pawl.drain();
    off.ms = 0;
    const second = process(left.slice(3), left.slice(2, 3));
    await second.pawl.sweep({ wait: true });
    await clock.advance(59_000);
    await second.pawl.sweep({ wait: true });
    expect(await isOver(second, sessionId)).toBe(false);
    for (const step of [1_001, 60_001]) {
      await clock.advance(step);
      await second.pawl.sweep({ wait: true });
    }
    expect(await isOver(second, sessionId)).toBe(true);
  });
});

describe("a wait that was stored by the right time", () => {
  it("F26 neither ends at once nor later because an event was stored while the clock was ahead", async () => {
    const late = tool({
      ...{ name: "late", description: "", input: nothing },
      suspends: { answer: yes, expires: { ...expires, afterMs: 120_000 } },
    });
    const left = [
      {
        tools: [
          { name: "clean", id: "c1" },
          { name: "late", id: "c2" },
        ],
      },
      { text: "Ok." },
    ];
    const { clock, off, store, process, first } = ahead([asks, late], left);
    const { sessionId } = await first.say("Go");
    await first.pawl.drain();
    off.ms = YEAR;
    await store.append(sessionId, [{ type: "note", data: { text: "A" } }], { appendId: "t" });
    off.ms = 0;
    const second = process(left.slice(1));
    expect(await second.pawl.sweep({ wait: true })).toBe(0);
    await clock.advance(1_000);
    await second.answer(sessionId, "c1", { ok: true });
    await second.pawl.sweep({ wait: true });
    expect(await answersOf(second, sessionId)).toEqual([{ value: { ok: true }, expired: undefined }]);
    await clock.advance(118_000);
    await second.pawl.sweep({ wait: true });
    expect(await answersOf(second, sessionId)).toHaveLength(1);
    await clock.advance(1_001);
    await second.pawl.sweep({ wait: true });
    expect(await answersOf(second, sessionId)).toHaveLength(2);
    expect(await isOver(second, sessionId)).toBe(true);
  });
});
