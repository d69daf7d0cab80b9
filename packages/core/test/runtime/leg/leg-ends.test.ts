import { expect, it } from "vitest";
import * as z from "zod";
import { changedEvents } from "../../../../../test/support/changed-events.ts";
import { eachWay } from "../../../../../test/support/each-way.ts";
import { expectPrinted } from "../../../../../test/support/printed.ts";
import { settled } from "../../../../../test/support/settled.ts";
import { type EventStore, memoryStore, tool } from "../../../src/index.ts";
import { localTail } from "../../../src/store.ts";
import { setup } from "../../support/setup.ts";
import { beforeAppend, failingStore, has } from "../../support/stores.ts";
import { ask, nothing } from "../../support/tools.ts";

it("W4 shows nothing as in progress when the run is over", async () => {
  const tail = localTail();
  const { say } = setup([{ text: "Done." }], {}, { tail });
  const { sessionId } = await say("Go");
  expect(tail.peek(sessionId).live).toBeUndefined();
});

it("L7 ends a run that failed, also where something is stored at the last moment", async () => {
  expectPrinted("pawl: no database");
  const base = memoryStore();
  let late = 0;
  const store = beforeAppend(base, async (events, sessionId) => {
    if (has(events, "run_ended") && late < 2) {
      late += 1;
      const note = { type: "note", data: { text: `late ${late}` } } as const;
      await base.append(sessionId, [note], { appendId: `late ${late}` });
    }
  });
  const deps = () => Promise.reject(new Error("no database"));
  const { say, of } = setup([{ text: "Never." }], {}, { store, deps });
  const { stop, sessionId } = await say("Go");
  expect(stop).toMatchObject({ type: "error", message: expect.stringMatching(/\S/) });
  expect(late).toBe(2);
  expect(await of(sessionId, "run_ended")).toHaveLength(1);
  expect(await of(sessionId, "note")).toHaveLength(2);
});

it("L4 the report of a late result may be lost without harm", async () => {
  const base = memoryStore();
  let refused = 0;
  const store = failingStore(base, (events) => {
    const fails = events.some(({ type, data }) => type === "error" && JSON.stringify(data).includes("late"));
    if (fails) refused += 1;
    return fails;
  });
  let back = (): void => undefined;
  const slow = tool({
    name: "slow",
    description: "",
    input: z.object({}),
    timeoutMs: 20,
    execute: () =>
      new Promise<string>((resolve) => {
        back = () => resolve("too late");
      }),
  });
  const unhandled: unknown[] = [];
  const listen = (reason: unknown) => unhandled.push(reason);
  process.on("unhandledRejection", listen);
  try {
    const script = [{ tools: [{ name: "slow" }] }, { text: "Done." }];
    const world = setup(script, { tools: [slow] }, { store, times: { storeRetryMs: [] } });
    const { stop } = await world.say("Go");
    expect(stop.type).toBe("end_turn");
    back();
    await expect.poll(() => refused).toBe(1);
    await settled();
    expect(unhandled).toEqual([]);
  } finally {
    process.off("unhandledRejection", listen);
  }
});

it.each(eachWay("open"))(
  "P6 a run ends even if the log holds an answer that is nested too deeply to be serialised, %s",
  async (_, as) => {
    const base = memoryStore();
    const deep = JSON.parse(`${"[".repeat(20_000)}${"]".repeat(20_000)}`);
    const stored = changedEvents(base, (event) =>
      event.type === "tool_answered" ? { ...event, data: { ...event.data, value: deep } } : event,
    );
    const store = as(stored);
    const { say, pawl, of } = setup(
      [{ tools: [{ name: "ask", id: "toolu_q" }] }],
      { tools: [ask] },
      { store },
    );
    const { sessionId } = await say("Go");
    const [asked] = await of(sessionId, "tool_suspended");
    // As an earlier version let users store it through the database.
    const key = (asked?.key ?? "").replace("asked:", "answer:");
    await base.append(
      sessionId,
      [{ type: "tool_answered", key, data: { tool_name: "ask", call_id: "toolu_q", value: [] } }],
      { appendId: "user", session: { addPending: -1, wakes: true } },
    );
    await pawl.stop(sessionId, { userId: "u1" });
    await expect.poll(async () => (await of(sessionId, "run_ended")).length).toBe(1);
    expect(await of(sessionId, "error")).toEqual([]);
    const [result] = await of(sessionId, "tool_result");
    expect(result?.data).toMatchObject({ success: false, result: expect.stringContaining("Not run") });
  },
);

it("asks the store for nothing more when a run has settled", async () => {
  const base = memoryStore();
  let calls: string[] = [];
  const store: EventStore = {
    ...base,
    append: async (id, events, options) => {
      if (options.release === true) calls = [];
      return await base.append(id, events, options);
    },
    read: (...args) => {
      calls.push("read");
      return base.read(...args);
    },
    release: async (lease) => {
      calls.push("release");
      await base.release(lease);
    },
  };
  const script = [{ tools: [{ name: "ask", id: "toolu_q" }] }, { text: "Ok." }];
  const world = setup(script, { tools: [ask] }, { store });
  const { sessionId, stop } = await world.say("Go");
  expect({ type: stop.type, calls }).toEqual({ type: "suspended", calls: [] });
  expect((await world.answer(sessionId, "toolu_q", "yes")).stop.type).toBe("end_turn");
  expect(calls).toEqual([]);
});

it("L9 aborts the signal of work that a tool has not ended when the run ends", async () => {
  const signals: AbortSignal[] = [];
  const work = tool({
    name: "work",
    description: "Works on after its result.",
    input: nothing,
    execute: (_input, { signal }) => {
      signals.push(signal);
      return "begun";
    },
  });
  const world = setup([{ tools: [{ name: "work" }] }, { text: "Ok." }], { tools: [work] });
  await world.say("Go");
  expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
});
