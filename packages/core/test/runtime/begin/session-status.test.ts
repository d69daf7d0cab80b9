import { describe, expect, it } from "vitest";
import * as z from "zod";
import { assertSoundLog } from "../../../../../test/support/invariants.ts";
import { type EventStore, PawlError, type SessionStatus, tool } from "../../../src/index.ts";
import { setup, user } from "../../support/setup.ts";
import { ask } from "../../support/tools.ts";

const asking = { tools: [{ name: "ask", id: "toolu_q" }] };

/** What an application does beside the run. */
async function mark(store: EventStore, sessionId: string, status: SessionStatus): Promise<void> {
  const appendId = crypto.randomUUID();
  await store.append(sessionId, [{ type: "app.marked", data: status }], { appendId, session: { status } });
}

/** A tool that changes the session's status during the run. */
function marking(status: SessionStatus) {
  let store: EventStore | undefined;
  const made = tool({
    name: "mark",
    description: "",
    input: z.object({}),
    execute: async (_, { sessionId }) => await mark(store as EventStore, sessionId, status),
  });
  return { tool: made, over: (of: EventStore) => (store = of) };
}

describe("the session of a first message", () => {
  const ids = (sessions: readonly { id: string }[]) => new Set(sessions.map(({ id }) => id));
  const ten = <T>(work: () => Promise<T>) => Promise.all(Array.from({ length: 10 }, work));

  it("E3 is one for all who ask at once, also where there were others before", async () => {
    const { pawl, store } = setup([]);
    let last: string | undefined;
    for (let round = 1; round <= 3; round += 1) {
      const [id, ...others] = ids(await ten(() => pawl.getOrCreateSession("tester", "u1")));
      expect(others).toEqual([]);
      expect(id).not.toBe(last);
      expect(await store.sessions.list(user)).toHaveLength(round);
      last = id;
      await mark(store, id as string, round === 1 ? "expired" : "completed");
    }
    const other = await pawl.getOrCreateSession("tester", "u2");
    expect(ids(await store.sessions.list(user))).not.toContain(other.id);
  });

  it("E3 is not the one that another process has made and ended since this one looked", async () => {
    const { pawl, store } = setup([]);
    await mark(store, (await pawl.getOrCreateSession("tester", "u1")).id, "completed");
    const { list } = store.sessions;
    let looks = 0;
    store.sessions.list = async (options) => {
      const seen = await list(options);
      looks += 1;
      if (looks === 2) {
        store.sessions.list = list;
        const { id } = await pawl.getOrCreateSession("tester", "u1");
        await mark(store, id, "expired");
      }
      return seen;
    };
    const { id, status } = await pawl.getOrCreateSession("tester", "u1");
    expect(status).toBe("active");
    expect((await list(user)).map((session) => [session.id === id, session.status])).toEqual([
      [true, "active"],
      [false, "expired"],
      [false, "completed"],
    ]);
  });
});

describe("a session that is over before its run is", () => {
  it.each(["expired", "completed"] as const)(
    "E7 stays %s where the run has not ended, and the run's words are there",
    async (status) => {
      const marks = marking(status);
      const world = setup([{ tools: [{ name: "mark" }] }, { text: "Good night." }], { tools: [marks.tool] });
      marks.over(world.store);
      const { sessionId, stop, text } = await world.say("Bye");
      expect([stop.type, text]).toEqual(["end_turn", "Good night."]);
      expect(await world.store.sessions.get(sessionId)).toMatchObject({ status, openRun: null, pending: 0 });
      assertSoundLog(await world.log(sessionId));
    },
  );

  it.each(["expired", "completed"] as const)(
    "E7 is not left waiting where it is %s when a tool asks",
    async (status) => {
      const marks = marking(status);
      const world = setup([{ tools: [{ name: "mark" }] }, asking], { tools: [marks.tool, ask] });
      marks.over(world.store);
      const { sessionId, stop, pending } = await world.say("Bye");
      expect([stop.type, pending]).toEqual(["session_over", []]);
      expect(await world.store.sessions.get(sessionId)).toMatchObject({ status, openRun: null, pending: 0 });
      assertSoundLog(await world.log(sessionId));
    },
  );

  it.each(["expired", "completed"] as const)(
    "E7 has its run ended by a sweep where it is %s while it waits for an answer",
    async (status) => {
      const world = setup([asking, { text: "Still here." }], { tools: [ask] });
      const { sessionId } = await world.say("Go");
      await mark(world.store, sessionId, status);
      expect(await world.pawl.sweep()).toBe(1);
      for await (const _ of world.pawl.follow(sessionId, { untilIdle: true, afterSeq: 1 }));
      const [ended] = await world.of(sessionId, "run_ended");
      expect(ended?.data.stop).toMatchObject({
        type: "session_over",
        message: expect.stringContaining(status),
      });
      expect(await world.store.sessions.get(sessionId)).toMatchObject({ status, openRun: null, pending: 0 });
      expect(await world.pawl.sweep()).toBe(0);
      await expect(world.answer(sessionId, "toolu_q", "yes")).rejects.toThrow(PawlError);
      assertSoundLog(await world.log(sessionId));
      expect(world.model.rejected).toEqual([]);
    },
  );

  it("E7 P5 says of a question that the run ended before it was answered", async () => {
    const world = setup([asking], { tools: [ask] });
    const { sessionId } = await world.say("Go");
    await mark(world.store, sessionId, "expired");
    await world.pawl.sweep();
    for await (const _ of world.pawl.follow(sessionId, { untilIdle: true, afterSeq: 1 }));
    const [answered] = await world.of(sessionId, "tool_answered");
    expect(answered?.data.closed).toBe("the run ended before it was answered.");
  });

  it("E7 refuses an answer when it has expired, and says why", async () => {
    const world = setup([asking], { tools: [ask] });
    const { sessionId } = await world.say("Go");
    await mark(world.store, sessionId, "expired");
    const before = await world.log(sessionId);
    await expect(world.answer(sessionId, "toolu_q", "yes")).rejects.toMatchObject({
      code: "invalid_input",
      message: expect.stringContaining("expired"),
    });
    expect(await world.log(sessionId)).toEqual(before);
  });

  it("E3 goes on when it was completed, and then waits like any other", async () => {
    const world = setup([{ text: "Bye." }, asking, { text: "Thanks." }], { tools: [ask] });
    const { sessionId } = await world.say("Go");
    await mark(world.store, sessionId, "completed");
    const { stop } = await world.say("One more thing", { sessionId });
    expect(stop.type).toBe("suspended");
    expect((await world.pawl.view(sessionId, user)).session.status).toBe("suspended");
    expect((await world.answer(sessionId, "toolu_q", "yes")).text).toBe("Thanks.");
    expect((await world.pawl.view(sessionId, user)).session.status).toBe("active");
  });
});
