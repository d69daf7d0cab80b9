import { describe, expect, it, vi } from "vitest";
import * as z from "zod";
import { type EventStore, type Hook, memoryStore, tool } from "../../../src/index.ts";
import { never, type Setup, setup, stored, user } from "../../support/setup.ts";
import { askWith } from "../../support/tools.ts";

const input = z.object({ q: z.string() });
const asking = (...ids: string[]) => ({ tools: ids.map((id) => ({ name: "ask", id, input: { q: id } })) });
/** Long enough that no renewal of a lease and no sweep comes to the rescue. */
const leaseTtlMs = 60_000;

/**
 * A run with two questions. Its first answer is given; while the leg is about to suspend for the second one, at the read
 * of its session's row, `meanwhile` happens.
 */
async function atSuspension(meanwhile: (world: Setup, sessionId: string) => Promise<unknown>) {
  const inner = memoryStore();
  let armed: (() => Promise<unknown>) | undefined;
  const store: EventStore = {
    ...inner,
    sessions: {
      ...inner.sessions,
      get: async (id) => {
        const now = armed;
        armed = undefined;
        const row = await inner.sessions.get(id);
        await now?.();
        return row;
      },
    },
  };
  const ask = tool({
    name: "ask",
    description: "",
    input,
    repeatable: true,
    suspends: { answer: z.string() },
    execute: (_, { answer, callId }) => {
      // The next row that is read is the one that the leg reads before it suspends.
      if (callId === "toolu_1") armed = () => meanwhile(world, sessionId);
      return answer;
    },
  });
  const script = [asking("toolu_1", "toolu_2"), { text: "Done." }];
  const world = setup(script, { tools: [ask], whenBusy: "queue" }, { store, times: { leaseTtlMs } });
  const { sessionId } = await world.say("Go");
  const first = world.pawl.run("tester", {
    ...user,
    sessionId,
    answers: [{ callId: "toolu_1", value: "one" }],
  });
  return { world, sessionId, first };
}

describe("what arrives while a run is about to suspend", () => {
  it("P4 an answer is acted upon by the leg", async () => {
    const { world, sessionId } = await atSuspension(
      (at, id) =>
        at.pawl.run("tester", { ...user, sessionId: id, answers: [{ callId: "toolu_2", value: "two" }] })
          .started,
    );
    await stored(world, sessionId, "run_ended");
    expect((await world.of(sessionId, "tool_result")).map(({ data }) => data.result)).toEqual(["one", "two"]);
  });

  it("L9 a stop ends the run", async () => {
    const { world, sessionId } = await atSuspension((at, id) => at.pawl.stop(id, user));
    await stored(world, sessionId, "run_ended");
    const [end] = await world.of(sessionId, "run_ended");
    expect(end?.data.stop.type).toBe("aborted");
  });

  it("P6 a message closes the question, and the run continues with it", async () => {
    const { world, sessionId } = await atSuspension(
      (at, id) => at.pawl.run("tester", { ...user, sessionId: id, input: "Never mind" }).started,
    );
    await stored(world, sessionId, "run_ended");
    expect(world.model.requests).toHaveLength(2);
    expect(JSON.stringify(world.model.requests[1]?.messages)).toContain("Never mind");
  });
});

describe("an event that arrives right after a suspension that the process has not seen yet", () => {
  it("L9 a stop ends the run", async () => {
    const inner = memoryStore();
    const suspended = Promise.withResolvers<void>();
    const heard = Promise.withResolvers<void>();
    const store: EventStore = {
      ...inner,
      append: async (...call) => {
        const rows = await inner.append(...call);
        if (call[1][0]?.type !== "run_suspended") return rows;
        suspended.resolve();
        await heard.promise;
        return rows;
      },
    };
    const ask = askWith(input);
    const world = setup([asking("toolu_1")], { tools: [ask] }, { store, times: { leaseTtlMs } });
    const { sessionId } = await world.pawl.run("tester", { ...user, input: "Go" }).started;
    await suspended.promise;
    const stopped = world.pawl.stop(sessionId, user);
    await stored(world, sessionId, "stop_requested");
    heard.resolve();
    await stopped;
    await stored(world, sessionId, "run_ended");
    expect(await store.sessions.get(sessionId)).toMatchObject({ openRun: null, pending: 0 });
  });
});

describe("an answer that arrives while a message is about to close its question", () => {
  it("P4 P6 is acted upon, and the message is queued behind it", async () => {
    const store = memoryStore();
    const asked = Promise.withResolvers<void>();
    const answered = Promise.withResolvers<void>();
    const slow: Hook = {
      name: "slow",
      onStop: async () => {
        asked.resolve();
        await answered.promise;
      },
    };
    const ask = askWith(input);
    const script = [asking("toolu_1"), { text: "Done." }, { text: "And done." }];
    const options = { tools: [ask], hooks: [slow], whenBusy: "queue" as const };
    const world = setup(script, options, { store, times: { leaseTtlMs: 60, abortGraceMs: 10_000 } });
    const { sessionId } = await world.say("Go");
    const message = world.pawl.run("tester", { ...user, sessionId, input: "Something else" });
    await asked.promise;
    const [question] = await world.of(sessionId, "tool_suspended");
    const read = vi.spyOn(store, "read");
    await store.append(
      sessionId,
      [
        {
          type: "tool_answered",
          key: (question?.key ?? "").replace("asked:", "answer:"),
          data: { tool_name: "ask", call_id: "toolu_1", value: "yes" },
        },
      ],
      { appendId: "another process", session: { addPending: -1, wakes: true } },
    );
    // The next renewal of the lease folds the answer in.
    read.mockClear();
    await expect.poll(() => read.mock.calls.length).toBeGreaterThan(0);
    answered.resolve();
    await message.started;
    await stored(world, sessionId, "run_ended");
    expect((await world.of(sessionId, "tool_result"))[0]?.data).toMatchObject({
      success: true,
      result: "yes",
    });
  });
});

describe("an answer, a stop or a message whose process died before it acted on it", () => {
  const ask = askWith(input);

  it("P1 L9 a stop is acted upon by the next sweep", async () => {
    const { say, pawl, store, of, log } = setup([asking("toolu_1")], { tools: [ask] });
    const { sessionId } = await say("Go");
    const dying: EventStore = {
      ...store,
      open: never,
      acquire: never,
    };
    const other = setup([], { tools: [ask] }, { store: dying });
    void other.pawl.stop(sessionId, user);
    await expect.poll(async () => (await of(sessionId, "stop_requested")).length).toBe(1);
    expect(await pawl.sweep()).toBe(1);
    await stored({ log }, sessionId, "run_ended");
    expect((await of(sessionId, "run_ended"))[0]?.data.stop.type).toBe("aborted");
  });

  it("P1 a session that is suspended with nothing pending is picked up by the next sweep", async () => {
    const { say, pawl, store, of, log } = setup([asking("toolu_1"), { text: "Done." }], { tools: [ask] });
    const { sessionId } = await say("Go");
    const [asked] = await of(sessionId, "tool_suspended");
    const key = (asked?.key ?? "").replace("asked:", "answer:");
    const data = { tool_name: "ask", call_id: "toolu_1", value: "yes" };
    // As it lies in logs that were written before: the status says that the run waits.
    await store.append(sessionId, [{ type: "tool_answered", key, data }], {
      appendId: "an earlier version",
      session: { addPending: -1 },
    });
    expect(await store.sessions.get(sessionId)).toMatchObject({ status: "suspended", pending: 0 });
    expect(await pawl.sweep()).toBe(1);
    await stored({ log }, sessionId, "run_ended");
    expect((await of(sessionId, "run_ended"))[0]?.data.stop.type).toBe("end_turn");
  });
});
