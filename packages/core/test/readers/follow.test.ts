import { testClock as steppedClock } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { eachWay } from "../../../../test/support/each-way.ts";
import { expectPrinted } from "../../../../test/support/printed.ts";
import { settled } from "../../../../test/support/settled.ts";
import { type ModelClient, memoryStore, type SessionEvent, tool, withRetry } from "../../src/index.ts";
import { newView, reduceView, type ViewState } from "../../src/view.ts";
import { testClock } from "../support/calls.ts";
import { heldModel, holdBefore, isTextOver } from "../support/held.ts";
import { collect, setup, types, until, user } from "../support/setup.ts";
import { ask, look } from "../support/tools.ts";

const long = { text: "One two three four five six seven eight" };
const texts = (events: readonly SessionEvent[]) =>
  events.flatMap((event) => (event.type === "text_delta" ? [event.data.text] : [])).join("");
const fold = (events: readonly SessionEvent[], from: ViewState = newView()) =>
  events.reduce(reduceView, from);

describe("following a session", () => {
  it("L10 shows a late reader the text so far, then the rest, once", async () => {
    const middle = holdBefore((_, deltas) => deltas === 3);
    const end = holdBefore(isTextOver);
    const { pawl } = setup([long], {}, {}, (model) => heldModel(model, [middle, end]));
    const run = pawl.run("tester", { ...user, input: "Go" });
    const { sessionId } = await run.started;
    await middle.reached;
    const shown: string[] = [];
    for await (const event of pawl.follow(sessionId, { untilIdle: true })) {
      if (event.type !== "text_delta") continue;
      shown.push(event.data.text);
      expect(event.data).toMatchObject({ index: 0, offset: shown.slice(0, -1).join("").length });
      middle.release();
      await end.reached;
      if (shown.join("") === long.text) end.release();
    }
    expect(shown).toHaveLength(2);
    expect(shown[0]?.length).toBeGreaterThan(3);
    expect(shown.join("")).toBe(long.text);
  });

  it("L10 gives a slow reader fewer, longer deltas and the same text", async () => {
    let written = 0;
    const begun = holdBefore((_, deltas) => deltas === 1);
    const end = holdBefore((event, deltas) => {
      written = deltas;
      return isTextOver(event);
    });
    const { pawl } = setup([long], {}, {}, (model) => heldModel(model, [begun, end]));
    const events: SessionEvent[] = [];
    for await (const event of pawl.run("tester", { ...user, input: "Go" })) {
      events.push(event);
      if (event.type !== "text_delta") continue;
      begun.release();
      await end.reached;
      if (texts(events) === long.text) end.release();
    }
    expect(written).toBeGreaterThan(4);
    expect(events.filter(({ type }) => type === "text_delta")).toHaveLength(2);
    expect(fold(events).messages.at(-1)?.text).toBe(long.text);
  });

  it("L10 shows a slow reader a tool's start before its progress", async () => {
    const gate = Promise.withResolvers<string>();
    const reported = Promise.withResolvers<void>();
    const report = tool({
      name: "report",
      description: "Says how far it is.",
      input: z.object({}),
      execute: (_, { progress }) => {
        progress({ percent: 50 });
        reported.resolve();
        return gate.promise;
      },
    });
    const { pawl } = setup([{ tools: [{ name: "report" }] }, { text: "Done." }], { tools: [report] });
    const seen: string[] = [];
    for await (const { type } of pawl.run("tester", { ...user, input: "Go" })) {
      seen.push(type);
      if (type === "tool_progress") gate.resolve("done");
      // At its first event already, everything is stored up to the start, and progress is there.
      await reported.promise;
      await settled();
    }
    expect(seen.indexOf("tool_progress")).toBeGreaterThan(seen.indexOf("tool_started"));
    expect(seen.indexOf("tool_started")).toBeGreaterThan(-1);
  });

  it("reports that an attempt's text is void when its answer was lost", async () => {
    expectPrinted("pawl: The model's answer was cut off.");
    const { pawl, say } = setup([{ text: "Lost answer, sadly", fault: { cut: 6 } }, { text: "Here." }]);
    const first = pawl.run("tester", { ...user, input: "Go" });
    await first.result;
    const { sessionId } = await first.started;
    await say("Again", { sessionId });
    const view = await pawl.view(sessionId, user);
    expect(view.messages.map(({ text }) => text)).toEqual(["Go", expect.any(String), "Again", "Here."]);
  });

  it("L10 W4 shows every reader the right text after an attempt that broke off: live, late, and from any cursor", async () => {
    const script = [{ text: "Half an answer, alas", fault: { cut: 6 } }, { text: "Whole, and well." }];
    const failed = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<void>();
    /** The first attempt breaks when somebody has seen its text, the second one ends when everybody has. */
    const held = (model: ModelClient): ModelClient => ({
      id: model.id,
      async *stream(request, options) {
        try {
          for await (const event of model.stream(request, options)) {
            if (event.type === "message_delta") await ended.promise;
            yield event;
          }
        } catch (error) {
          await failed.promise;
          throw error;
        }
      },
    });
    const clock = testClock({ hurry: true });
    const { pawl } = setup(script, {}, {}, (model) => withRetry(held(model), { sleep: clock.sleep }));
    const run = pawl.run("tester", { ...user, input: "Go" });
    const { sessionId } = await run.started;
    const readers = new Map<number, SessionEvent[]>();
    const late = async (afterSeq: number): Promise<void> => {
      const events: SessionEvent[] = [];
      readers.set(afterSeq, events);
      for await (const event of pawl.follow(sessionId, { afterSeq, untilIdle: true })) {
        events.push(event);
        if (texts([...readers.values()].flat()).length >= 16 * 8) ended.resolve();
      }
    };
    const live: SessionEvent[] = [];
    // Run, prefix and message come before the first request; usage and error before the second one, which is 7.
    const first = 4;
    const reading: Promise<void>[] = [];
    for await (const event of run) {
      live.push(event);
      if (event.type !== "text_delta") continue;
      failed.resolve();
      if (event.data.attempt === first || reading.length > 0) continue;
      // Every cursor of a reader that comes, or comes back, while the second attempt is in progress: 0 to its request.
      reading.push(...Array.from({ length: 8 }, (_, afterSeq) => late(afterSeq)));
    }
    await Promise.all(reading);
    expect(live.filter((event) => event.type === "attempt_restarted")).toEqual([
      { type: "attempt_restarted", data: { attempt: first } },
    ]);
    expect(fold(live).messages).toMatchObject([{ text: "Go" }, { text: "Whole, and well." }]);
    expect(types(live).indexOf("attempt_restarted")).toBeGreaterThan(types(live).indexOf("error"));
    const { messages } = await pawl.view(sessionId, user);
    expect(fold(live).messages).toEqual(messages);
    for (const [afterSeq, events] of readers) {
      expect(texts(events), `from ${afterSeq}`).toBe("Whole, and well.");
      const before = live.filter((event) => !("seq" in event) || event.seq <= afterSeq);
      const known = before.slice(0, before.findLastIndex((event) => "seq" in event) + 1);
      expect(fold(events, fold(known)).messages, `from ${afterSeq}`).toEqual(messages);
    }
  });

  it.each(eachWay("watch"))("sees events of other processes in a store %s", async (_, as) => {
    // Without `watch`, nothing says that an event was stored.
    const store = as(memoryStore());
    const { pawl } = setup([{ text: "Hi." }], {}, { store, times: { pollMs: 10 } });
    const { sessionId } = await pawl.run("tester", { ...user, input: "Go" }).result;
    const control = new AbortController();
    const seen: string[] = [];
    const reading = (async () => {
      for await (const event of pawl.follow(sessionId, { signal: control.signal })) seen.push(event.type);
    })();
    await until(() => seen.includes("run_ended"));
    await settled();
    await store.append(sessionId, [{ type: "note", data: { text: "from afar" } }], { appendId: "x" });
    await until(() => seen.includes("note"));
    control.abort();
    await reading;
    expect(seen.filter((type) => type === "note")).toHaveLength(1);
  });

  it("P1 L16 K5 folds to the same view from live events, from stored ones, and from any point in between", async () => {
    const work = tool({
      name: "work",
      description: "",
      input: z.object({}),
      status: { done: "Worked" },
      execute: () => ({ ok: 1 }),
    });
    const script = [
      { thinking: "Hm.", text: "First.", tools: [{ name: "work" }, { name: "ask", id: "toolu_q" }] },
      { text: "Second.", tools: [{ name: "nope" }] },
      { text: "Third", clip: 4 },
    ];
    const { pawl } = setup(script, { tools: [ask, work] });
    const first = pawl.run("tester", { ...user, input: "Go", clientMessageId: "m1" });
    const live = await collect(first);
    const { sessionId } = await first.started;
    expect(fold(live).pending).toHaveLength(1);
    live.push(
      ...(await collect(
        pawl.run("tester", { ...user, sessionId, answers: [{ callId: "toolu_q", value: "yes" }] }),
      )),
    );
    const whole = fold(live);
    const view = await pawl.view(sessionId, user);
    expect(whole).toMatchObject({
      messages: view.messages,
      pending: [],
      cursor: view.cursor,
      runningTools: {},
    });
    expect(whole.messages).toMatchObject([
      { id: "m1", role: "user", text: "Go" },
      { role: "assistant", text: expect.stringMatching(/^First\.\n\nSecond\.\n\nThir/) },
    ]);
    expect(whole.messages[1]?.parts.filter(({ type }) => type !== "thinking")).toMatchObject([
      { type: "text" },
      { type: "tool", toolName: "work", phase: "done", status: "Worked" },
      { type: "tool", toolName: "ask", phase: "done", result: "yes" },
      { type: "text" },
      { type: "tool", toolName: "nope", phase: "error" },
      { type: "text" },
      { type: "notice", stop: "max_tokens" },
    ]);
    for (let cursor = 0; cursor < view.cursor; cursor += 1) {
      const before = live.filter((event) => "seq" in event && event.seq <= cursor);
      const rest = live.slice(live.findIndex((event) => "seq" in event && event.seq === cursor + 1));
      expect(fold(rest, fold(before)).messages).toEqual(view.messages);
    }
  });

  it("shares what did not change between two views", async () => {
    const { pawl } = setup([{ text: "A." }, { text: "B c d e" }]);
    const { sessionId } = await pawl.run("tester", { ...user, input: "Go" }).result;
    const before = fold(await collect(pawl.follow(sessionId, { untilIdle: true })));
    const run = pawl.run("tester", { ...user, sessionId, input: "More" });
    const after = fold(await collect(run), before);
    expect(after.messages[0]).toBe(before.messages[0]);
    expect(after.messages[1]).toBe(before.messages[1]);
    expect(types(await collect(run))).toContain("run_ended");
  });
});

describe("a turn that is requested again", () => {
  const looks = { tools: [{ name: "look" }] };
  const ends = (events: readonly SessionEvent[]) =>
    events.flatMap((event) => (event.type === "turn_ended" ? [event.data.turn] : []));

  /** A process that dies in the middle of turn 3, `times` times, and one that goes on. */
  async function died(times: number) {
    let time = 0;
    const store = memoryStore({ now: () => time });
    const cut = { text: "x", fault: { stall: 1 } };
    const old = setup([looks, looks, cut], { tools: [look] }, { store });
    const { sessionId } = await old.pawl.run("tester", { ...user, input: "Go" }).started;
    const asked = async (count: number) => {
      await until(async () => (await old.of(sessionId, "llm_request")).length >= count);
      return (await old.of(sessionId, "llm_request")).at(-1)?.seq ?? 0;
    };
    let request = await asked(3);
    for (let again = 1; again < times; again += 1) {
      time += 60_000;
      await setup([cut], { tools: [look] }, { store }).pawl.sweep();
      request = await asked(3 + again);
    }
    time += 60_000;
    const next = setup([{ text: "Done." }], { tools: [look] }, { store });
    await next.pawl.sweep();
    const all = await collect(next.pawl.follow(sessionId, { untilIdle: true }));
    return {
      all,
      request,
      follow: (afterSeq: number) => collect(next.pawl.follow(sessionId, { afterSeq, untilIdle: true })),
    };
  }

  it("L16 ends the one before it once, however often its process has died", async () => {
    for (const times of [1, 2]) {
      const { all } = await died(times);
      expect(all.filter(({ type }) => type === "llm_request")).toHaveLength(3 + times);
      expect(ends(all)).toEqual([1, 2]);
    }
  });

  it("L16 W4 ends it once for a reader that reconnects in between", async () => {
    const { follow, request } = await died(1);
    expect(ends(await follow(request))).toEqual([]);
    expect(ends(await follow(request - 1))).toEqual([2]);
  });

  it("L16 L13 ends it once if its time is up before any text, and a last turn follows", async () => {
    const clock = steppedClock();
    const { pawl, log } = setup(
      [looks, { text: "x", fault: { stall: 0 } }, { text: "In short." }],
      { tools: [look], onLimit: "land", limits: { wallClockMs: 1_000 } },
      { testing: { clock } },
    );
    const run = pawl.run("tester", { ...user, input: "Go" });
    const { sessionId } = await run.started;
    const requests = async () => (await log(sessionId)).filter(({ type }) => type === "llm_request").length;
    await until(async () => (await requests()) >= 2);
    await clock.advance(801);
    const events = await collect(run);
    expect((await run.result).text).toBe("In short.");
    expect(await requests()).toBe(3);
    expect(ends(events)).toEqual([1]);
  });
});
