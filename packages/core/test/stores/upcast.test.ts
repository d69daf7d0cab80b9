import { describe, expect, it } from "vitest";
import { changedEvents } from "../../../../test/support/changed-events.ts";
import { eachWay } from "../../../../test/support/each-way.ts";
import { memoryStore, type StoredEvent, type Upcasters } from "../../src/index.ts";
import { EVENT_VERSION } from "../../src/log/event.ts";
import { setup, stored } from "../support/setup.ts";
import { ask, look, question } from "../support/tools.ts";
import { endless } from "../support/when-busy.ts";

/** Version 0, as it never was: the text of a message stood in `text`, and results had their outcome in `ok`. */
function asVersion0(event: StoredEvent): StoredEvent {
  if (event.type === "user_message") {
    return { ...event, v: 0, data: { text: event.data.message } } as never;
  }
  if (event.type === "tool_result") {
    const { success, ...data } = event.data;
    return { ...event, v: 0, data: { ...data, ok: success } } as never;
  }
  return { ...event, v: 0 } as StoredEvent;
}

const upcasters: Upcasters = {
  user_message: { 0: ({ text }: { text: string }) => ({ message: text }) },
  tool_result: { 0: ({ ok, ...data }: { ok: boolean }) => ({ ...data, success: ok }) },
};

describe.each(eachWay("open"))("E1 events of an older version, in a store %s", (_way, as) => {
  it("are read in the current version: by the model, the view, the result and every reader", async () => {
    const store = memoryStore();
    const old = as(changedEvents(store, asVersion0));
    const before = setup([{ tools: [{ name: "look" }] }, { text: "Hi." }], { tools: [look] }, { store });
    const { sessionId } = await before.say("First");

    const raw = await Array.fromAsync(old.read(sessionId));
    expect(raw.find(({ type }) => type === "user_message")).toMatchObject({ v: 0, data: { text: "First" } });

    const now = setup([{ text: "Ok." }], { tools: [look] }, { store: old, upcasters });
    const result = await now.say("Second", { sessionId });
    expect(result.stop.type).toBe("end_turn");
    expect(now.model.rejected).toEqual([]);
    const sent = JSON.stringify(now.model.requests[0]?.messages);
    expect(sent).toContain("First");
    expect(sent).not.toContain("is_error");
    const { messages } = await now.pawl.view(sessionId, { userId: "u1" });
    expect(messages.map(({ text }) => text)).toEqual(["First", "Hi.", "Second", "Ok."]);
    const followed = await Array.fromAsync(now.pawl.follow(sessionId, { untilIdle: true }));
    expect(followed.find(({ type }) => type === "user_message")).toMatchObject({
      v: EVENT_VERSION,
      data: { message: "First" },
    });
    const read = await Array.fromAsync(now.pawl.store.read(sessionId, { types: ["tool_result"] }));
    expect(read).toMatchObject([{ v: EVENT_VERSION, data: { success: true } }]);
  });

  it("P2 with a field that is offered no more are read as if it were not there", async () => {
    const store = memoryStore();
    const expires = { expires_at: "2026-01-01T00:00:00.000Z" };
    const asked = changedEvents(store, (event) =>
      event.type === "tool_suspended" ? { ...event, data: { ...event.data, ...expires } } : event,
    );
    const script = [{ tools: [question] }, { text: "Ok." }];
    const before = setup(script.slice(0, 1), { tools: [ask] }, { store });
    const { sessionId, pending } = await before.say("Go");
    expect(pending[0]).not.toHaveProperty("expiresAt");
    const now = setup(script.slice(1), { tools: [ask] }, { store: as(asked) });
    expect((await now.pawl.view(sessionId, { userId: "u1" })).pending).toEqual(pending);
    expect((await now.answer(sessionId, question.id, "yes")).stop.type).toBe("end_turn");
    expect(now.model.rejected).toEqual([]);
  });
});

describe.each(eachWay("open"))("E1 events of a newer version, in a store %s", (_way, as) => {
  const newer = (event: StoredEvent): StoredEvent => ({ ...event, v: EVENT_VERSION + 1 });

  it("are shown as they are: fields are only added", async () => {
    const store = memoryStore();
    const { sessionId } = await setup([{ text: "Ok." }], {}, { store }).say("Hello");
    const old = setup([], {}, { store: as(changedEvents(store, newer)), upcasters });
    expect((await old.log(sessionId))[0]?.v).toBe(EVENT_VERSION + 1);
    expect((await old.pawl.view(sessionId, { userId: "u1" })).messages).toHaveLength(2);
  });

  it("E10 make a process refuse a message: what they mean for money it cannot know", async () => {
    const store = memoryStore();
    const { sessionId } = await setup([{ text: "Ok." }], {}, { store }).say("Hello");
    const old = setup([{ text: "Wrong." }], {}, { store: as(changedEvents(store, newer)) });
    await expect(old.say("More", { sessionId })).rejects.toMatchObject({ code: "store_unavailable" });
    expect(old.model.requests).toEqual([]);
    // The lease is free for a process that knows them.
    const now = setup([{ text: "Yes." }], {}, { store });
    expect((await now.say("More", { sessionId })).text).toBe("Yes.");
  });

  it("are not copied by a process of before: the copy would have its version", async () => {
    const store = memoryStore();
    const { sessionId } = await setup([{ text: "Ok." }], {}, { store }).say("Hello");
    const old = setup([], {}, { store: as(changedEvents(store, newer)) });
    await expect(old.pawl.fork(sessionId, { userId: "u1" })).rejects.toMatchObject({
      code: "store_unavailable",
    });
  });

  it("E10 make a sweep leave an open run to a newer process, and say so once", async () => {
    const store = memoryStore();
    const first = setup([endless], {}, { store });
    const { sessionId } = await first.pawl.run("tester", { userId: "u1", input: "Hello" }).started;
    await stored(first, sessionId, "llm_request");
    await first.pawl.drain({ timeoutMs: 0 });
    const errors: unknown[] = [];
    const report = { onError: (error: unknown) => void errors.push(error) };
    const old = setup([{ text: "Wrong." }], {}, { store: as(changedEvents(store, newer)), ...report });
    expect(await old.pawl.sweep()).toBe(0);
    expect(await old.pawl.sweep()).toBe(0);
    expect(errors).toMatchObject([
      { code: "store_unavailable", message: expect.stringMatching(/newer Pawl/) },
    ]);
    expect(old.model.requests).toEqual([]);
    expect(await setup([{ text: "Yes." }], {}, { store }).pawl.sweep({ wait: true })).toBe(1);
    expect((await store.sessions.get(sessionId))?.openRun).toBeNull();
  });
});
