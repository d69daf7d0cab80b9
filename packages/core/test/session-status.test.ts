import { describe, expect, it } from "vitest";
import * as z from "zod";
import { assertSoundLog } from "../../../test/support/invariants.ts";
import { type EventStore, PawlError, type SessionStatus, tool } from "../src/index.ts";
import { setup } from "./support/setup.ts";

const user = { userId: "u1" };
const ask = tool({ name: "ask", description: "", input: z.object({}), suspends: { answer: z.string() } });
const asking = { tools: [{ name: "ask", id: "toolu_q" }] };

/** What an application does beside the run. */
async function mark(store: EventStore, sessionId: string, status: SessionStatus): Promise<void> {
  const appendId = crypto.randomUUID();
  await store.append(sessionId, [{ type: "app.marked", data: status }], { appendId, session: { status } });
}

/** A tool that lets the session become something else while the run is at work. */
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
      expect([stop.type, pending]).toEqual(["interrupted", []]);
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
        type: "interrupted",
        message: expect.stringContaining(status),
      });
      expect(await world.store.sessions.get(sessionId)).toMatchObject({ status, openRun: null, pending: 0 });
      expect(await world.pawl.sweep()).toBe(0);
      await expect(world.answer(sessionId, "toolu_q", "yes")).rejects.toThrow(PawlError);
      assertSoundLog(await world.log(sessionId));
      expect(world.model.rejected).toEqual([]);
    },
  );

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
