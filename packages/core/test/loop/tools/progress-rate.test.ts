import { testClock } from "@pawl/testing";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { settled } from "../../../../../test/support/settled.ts";
import { type Json, type SessionEvent, type Tool, tool } from "../../../src/index.ts";
import { loadParts } from "../../../src/parts/at-hand.ts";
import { collect, setup, user } from "../../support/setup.ts";
import { nothing } from "../../support/tools.ts";

// The first report of a process loads code, for which a clock that stands does not wait.
beforeAll(async () => void (await loadParts()));

/** A call that runs, and reports what the test says. */
interface Running {
  report(data: Json): void;
  end(): void;
}

/** Runs tools of these names, over a clock that stands, and collects what a reader gets of their progress. */
async function running(...names: string[]) {
  const clock = testClock();
  const calls = new Map<string, Running>();
  const begun = Promise.withResolvers<void>();
  const tools = names.map((name) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    return tool({
      name,
      description: "",
      input: nothing,
      execute: (_, { progress }) => {
        calls.set(name, { report: progress, end: resolve });
        if (calls.size === names.length) begun.resolve();
        return promise;
      },
    }) as Tool;
  });
  const script = [{ tools: names.map((name) => ({ name, id: `toolu_${name}` })) }, { text: "Ok." }];
  const { pawl } = setup(script, { tools }, { testing: { clock } });
  const events: SessionEvent[] = [];
  const run = pawl.run("tester", { ...user, input: "Go" });
  const read = (async () => {
    for await (const event of run) events.push(event);
  })();
  await begun.promise;
  await settled();
  onTestFinished(async () => {
    for (const { end } of calls.values()) end();
    await read;
  });
  const call = (name: string) => calls.get(name) as Running;
  const shown = () => events.flatMap(({ type, data }) => (type === "tool_progress" ? [data.data] : []));
  return { clock, call, shown, events, over: read };
}

describe("B7 T8 the progress of a tool that reports quickly", () => {
  it("reaches a reader at once, then ten times a second, and the newest report each time", async () => {
    const { clock, call, shown } = await running("a");
    const { report } = call("a");
    report(0);
    await settled();
    expect(shown()).toEqual([0]);
    for (let n = 1; n <= 50; n += 1) report(n);
    await clock.advance(99);
    expect(shown()).toEqual([0]);
    await clock.advance(1);
    expect(shown()).toEqual([0, 50]);
    for (let n = 51; n <= 1_050; n += 1) {
      report(n);
      await clock.advance(1);
    }
    expect(shown().length).toBeLessThanOrEqual(12);
    await clock.advance(100);
    expect(shown().at(-1)).toBe(1_050);
    await clock.advance(500);
    report("late");
    await settled();
    expect(shown().at(-1)).toBe("late");
  });

  it("ends with the last report, before the result, however soon the tool returns", async () => {
    const { call, events, over } = await running("a");
    const { report, end } = call("a");
    report("first");
    await settled();
    report("middle");
    report("last");
    end();
    await over;
    const types = ["tool_progress", "tool_result"];
    expect(events.filter(({ type }) => types.includes(type)).map(({ type, data }) => [type, data])).toEqual([
      ["tool_progress", expect.objectContaining({ data: "first" })],
      ["tool_progress", expect.objectContaining({ data: "last" })],
      ["tool_result", expect.anything()],
    ]);
  });

  it("ends with the report of a tool that reports and returns at once, or throws", async () => {
    for (const fails of [false, true]) {
      const quick = tool({
        name: "quick",
        description: "",
        input: nothing,
        execute: (_, { progress }) => {
          progress(1);
          progress(2);
          if (fails) throw new Error("no");
        },
      });
      const { pawl } = setup([{ tools: [{ name: "quick" }] }, { text: "Ok." }], { tools: [quick] });
      const events = await collect(pawl.run("tester", { ...user, input: "Go" }));
      const shown = events.flatMap(({ type, data }) => (type === "tool_progress" ? [data.data] : []));
      expect(shown.at(-1)).toBe(2);
      const types = events.map(({ type }) => type);
      expect(types.lastIndexOf("tool_progress")).toBeLessThan(types.indexOf("tool_result"));
    }
  });

  it("does not keep back the reports of another call", async () => {
    const { clock, call, shown } = await running("a", "b");
    call("a").report("a1");
    call("b").report("b1");
    await settled();
    expect(shown()).toEqual(["a1", "b1"]);
    await clock.advance(200);
    // In one turn, and the call that began first reports last.
    call("b").report("b2");
    call("a").report("a2");
    await settled();
    expect(shown().slice(2)).toEqual(["b2", "a2"]);
    call("a").report("a3");
    await clock.advance(100);
    call("a").report("a4");
    call("a").end();
    await settled();
    expect(shown().slice(4)).toEqual(["a3", "a4"]);
    call("b").report("b3");
    await clock.advance(100);
    expect(shown().at(-1)).toBe("b3");
  });

  it("is cut if a report is long", async () => {
    const { call, shown } = await running("a", "b");
    call("a").report({ text: "x".repeat(50_000) });
    call("b").report({ percent: 50 });
    await settled();
    const [long, short] = shown();
    expect(JSON.stringify(long).length).toBeLessThan(10_100);
    expect(JSON.stringify(long)).toContain("[clipped: ");
    expect(short).toEqual({ percent: 50 });
  });

  it("sets no timer for a tool that reports seldom, or that has returned", async () => {
    const { clock, call, shown } = await running("a", "b");
    call("a").report(1);
    await clock.advance(1_000);
    call("a").report(2);
    await settled();
    expect(shown()).toEqual([1, 2]);
    call("a").report(3);
    call("a").end();
    await settled();
    await clock.advance(1_000);
    expect(shown()).toEqual([1, 2, 3]);
  });
});
