import { type Reply, testClock } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { memoryStore, tool } from "../../src/index.ts";
import { stored, until, user } from "../support/setup.ts";
import { dyingStore, has } from "../support/stores.ts";
import { nothing } from "../support/tools.ts";
import { asking, boot, clean, isOver, polling, resultOf, yes } from "../support/waits.ts";

const polls = clean(polling);
const asks = clean(asking);

describe("a run that asks and waits at once", () => {
  const two: Reply[] = [
    {
      tools: [
        { name: "clean", id: "c1" },
        { name: "late", id: "c2" },
      ],
    },
    { text: "Ok." },
  ];
  const late = tool({ name: "late", description: "", input: nothing, suspends: { answer: yes } });

  it("F26 is suspended, and its time comes all the same", async () => {
    const world = boot([polls, late], { left: two });
    const { sessionId, pending } = await world.say("Go");
    expect(pending.map(({ callId }) => callId)).toEqual(["c2"]);
    const row = async () => await world.store.sessions.get(sessionId);
    const wakeAt = () => new Date(world.clock.now() + 60_000).toISOString();
    expect(await row()).toMatchObject({ status: "suspended", pending: 2, wakeAt: wakeAt() });
    await world.clock.advance(60_001);
    expect(await row()).toMatchObject({ status: "suspended", pending: 2, wakeAt: wakeAt() });
    const { pending: still } = await world.pawl.view(sessionId, user);
    expect(still.map(({ callId }) => callId)).toEqual(["c2"]);
    const answered = world.answer(sessionId, "c2", { ok: true });
    await until(async () => (await row())?.status === "active");
    for (const _ of [1, 2, 3]) await world.clock.advance(60_001);
    expect((await answered).stop.type).toBe("end_turn");
    expect(await isOver(world, sessionId)).toBe(true);
    expect(await resultOf(world, sessionId)).toMatchObject({ success: true });
  });

  it("F26 is left alone by the timer of a process that does not know of an answer", async () => {
    const expiring = tool({
      ...{ name: "late", description: "", input: nothing },
      suspends: { answer: yes, expires: { afterMs: 120_000, default: { ok: false } } },
    });
    const clock = testClock();
    const store = memoryStore({ now: clock.now });
    const first = boot([asks, expiring], { clock, store, left: two });
    const { sessionId } = await first.say("Go");
    const other = boot([asks, expiring], { clock, store, left: two.slice(1) });
    await other.answer(sessionId, "c1", { ok: true });
    await other.pawl.drain();
    const before = await first.log(sessionId);
    await clock.advance(60_001);
    expect(await first.log(sessionId)).toEqual(before);
    await first.pawl.drain();
  });
});

describe("a timer for a run that another process has moved on", () => {
  it("F26 F17 lends the credentials of its run to no other run of the session", async () => {
    const seen: unknown[] = [];
    const both = clean((context) => {
      seen.push(context.credentials);
      return "name" in context.caller ? polling(context) : asking(context);
    });
    const clock = testClock();
    const store = memoryStore({ now: clock.now });
    const first = boot([both], { clock, store });
    const [ofAda, ofBob] = [{ token: "tok_of_ada" }, { token: "tok_of_bob" }];
    const { sessionId } = await first.say("Go", { credentials: ofAda });
    const other = boot([both], {
      clock,
      store,
      left: [{ tools: [{ name: "clean", id: "c2" }] }],
    });
    const bob = { caller: { name: "bob" }, credentials: ofBob };
    other.pawl.run("tester", { ...user, sessionId, input: "And I?", ...bob }).result.catch(() => undefined);
    await until(async () => (await first.of(sessionId, "run_suspended")).length === 2);
    await other.pawl.drain();
    await clock.advance(60_001);
    await first.pawl.sweep();
    await until(async () => (await first.of(sessionId, "run_suspended")).length === 3);
    expect(seen).toEqual([ofAda, ofBob]);
    expect((await first.pawl.view(sessionId, user)).pending).toMatchObject([{ kind: "credentials" }]);
    await first.pawl.drain();
  });

  it("F26 F17 lends them to no run that a sweep recovers, either", async () => {
    const seen: unknown[] = [];
    const spy = clean((context) => {
      seen.push(context.credentials);
      return asking(context);
    });
    const clock = testClock();
    const base = memoryStore({ now: clock.now });
    const first = boot([spy], { clock, store: base });
    const { sessionId } = await first.say("Go", { credentials: { token: "tok_of_ada" } });
    const dying = dyingStore(base, (events) => has(events, "llm_request"));
    const other = boot([spy], {
      clock: testClock(),
      store: dying,
      times: { leaseTtlMs: 1_000 },
    });
    const bob = { caller: { name: "bob" }, credentials: { token: "tok_of_bob" } };
    other.pawl.run("tester", { ...user, sessionId, input: "And I?", ...bob }).result.catch(() => undefined);
    await until(() => dying.dead);
    await clock.advance(10_000);
    expect(await first.pawl.sweep()).toBe(1);
    await stored(first, sessionId, "run_recovered");
    await until(async () => (await first.of(sessionId, "run_suspended")).length === 2);
    expect((await first.pawl.view(sessionId, user)).pending).toMatchObject([{ kind: "credentials" }]);
    expect(seen).toHaveLength(1);
    await first.pawl.drain();
  });
});
