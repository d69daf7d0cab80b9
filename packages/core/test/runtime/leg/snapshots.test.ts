import type { Rules } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { settled } from "../../../../../test/support/settled.ts";
import { type EventStore, memoryBlobs, memoryStore, PawlError } from "../../../src/index.ts";
import { SNAPSHOT_VERSION } from "../../../src/log/store/snapshot.ts";
import type { SessionToOpen, Snapshot } from "../../../src/store.ts";
import { type Setup, setup, user } from "../../support/setup.ts";
import { askWith, calling, echo, text } from "../../support/tools.ts";

/** A store whose snapshots and openings are recorded. */
function recording(inner: EventStore = memoryStore()) {
  const saved: Snapshot[] = [];
  const opened: { asked: string | undefined; seq: number | undefined; events: number }[] = [];
  const store: EventStore = {
    ...inner,
    saveSnapshot: async (id, snapshot) => {
      saved.push(snapshot);
      await inner.saveSnapshot?.(id, snapshot);
    },
    open: async (wanted: SessionToOpen) => {
      const found = await inner.open?.(wanted);
      const { snapshot, events = [] } = found ?? {};
      opened.push({ asked: wanted.snapshot, seq: snapshot?.seq, events: events.length });
      return found;
    },
  };
  return { store, saved, opened };
}

const endlessly = { rules: () => ({ text: "Fine." }) };

/** Sends messages until the log has this many events. Returns the session. */
async function grown({ say, store }: Setup, events: number, sessionId?: string): Promise<string> {
  let id = sessionId;
  for (;;) {
    const result = await say("Go on", id === undefined ? {} : { sessionId: id });
    id = result.sessionId;
    if (((await store.sessions.get(id))?.lastSeq ?? 0) >= events) return id;
  }
}

describe("R5 a snapshot", () => {
  it("R5 is kept by a run's end once the log has grown by 200 events, and the next message begins with it", async () => {
    const { store, saved, opened } = recording();
    const world = setup(endlessly, {}, { store });
    const sessionId = await grown(world, 190);
    expect(saved).toEqual([]);
    await grown(world, 200, sessionId);
    expect(saved).toMatchObject([{ version: SNAPSHOT_VERSION }]);
    const first = saved[0]?.seq ?? 0;
    expect(first).toBeLessThan(210);
    await world.say("And now?", { sessionId });
    expect(opened.at(-1)).toEqual({ asked: SNAPSHOT_VERSION, seq: first, events: 0 });
    await world.say("And now?", { sessionId });
    expect(opened.at(-1)?.events).toBeLessThan(10);
    await grown(world, first + 199, sessionId);
    expect(saved.length).toBeLessThanOrEqual(2);
    await grown(world, first + 210, sessionId);
    expect(saved).toHaveLength(2);
    expect(world.model.rejected).toEqual([]);
  });

  it("R5 is kept again at once after it was deleted, or written by other code", async () => {
    const { store, saved } = recording();
    const world = setup(endlessly, {}, { store });
    const sessionId = await grown(world, 200);
    await world.pawl.redact(sessionId, 2, user);
    await world.say("And now?", { sessionId });
    expect(saved).toHaveLength(2);
    const { lastSeq: seq } = (await store.sessions.get(sessionId)) ?? { lastSeq: 0 };
    await store.saveSnapshot?.(sessionId, { version: "of tomorrow", seq, state: "{}" });
    await world.say("And now?", { sessionId });
    expect(saved.at(-1)?.version).toBe(SNAPSHOT_VERSION);
  });

  it("R5 is kept by the legs of answers, too", async () => {
    const { store, saved } = recording();
    const asking = askWith(text);
    const rules: Rules = ({ messages }) =>
      JSON.stringify(messages.at(-1)).includes("Go") ? { tools: [calling("ask", "?")] } : { text: "Fine." };
    const world = setup({ rules }, { tools: [asking] }, { store });
    let sessionId: string | undefined;
    for (let lastSeq = 0; lastSeq < 420; ) {
      const run = await world.say("Go", sessionId === undefined ? {} : { sessionId });
      sessionId = run.sessionId;
      for (const { callId } of run.pending) await world.answer(sessionId, callId, "yes");
      lastSeq = (await store.sessions.get(sessionId))?.lastSeq ?? 0;
    }
    expect(saved.length).toBeGreaterThanOrEqual(2);
  });

  it("R5 is what a recovery begins with", async () => {
    const { store, saved, opened } = recording();
    const world = setup(endlessly, {}, { store });
    const sessionId = await grown(world, 200);
    const [{ seq } = { seq: 0 }] = saved;
    const run = { agent: "tester", agent_version: "1", run_id: "lost" };
    await store.append(
      sessionId,
      [
        { type: "run_started", data: run },
        { type: "user_message", data: { message: "Are you there?" } },
      ],
      { appendId: "by a process that died", session: { openRun: "lost", status: "active" } },
    );
    expect(await world.pawl.sweep()).toBe(1);
    await expect.poll(async () => (await store.sessions.get(sessionId))?.openRun).toBeNull();
    expect(opened.at(-1)).toMatchObject({ seq, events: expect.any(Number) });
    expect(opened.at(-1)?.events).toBeLessThan(10);
    expect(world.model.rejected).toEqual([]);
  });

  it("R5 that cannot be saved changes nothing, and is reported", async () => {
    const { store } = recording();
    const failure = new PawlError("store_unavailable", "The table is full.");
    const errors: unknown[] = [];
    const world = setup(
      endlessly,
      {},
      {
        store: { ...store, saveSnapshot: () => Promise.reject(failure) },
        onError: (error) => errors.push(error),
      },
    );
    const sessionId = await grown(world, 200);
    const { stop } = await world.say("And now?", { sessionId });
    expect(stop.type).toBe("end_turn");
    expect(errors).toEqual([failure, failure]);
  });

  it("R5 is awaited by `drain()` and by the platform, and by nobody else", async () => {
    const { store, saved } = recording();
    let save: (() => void) | undefined;
    const saving = new Promise<void>((resolve) => {
      save = resolve;
    });
    const works = new Set<Promise<unknown>>();
    const world = setup(
      endlessly,
      {},
      {
        store: {
          ...store,
          saveSnapshot: async (id, snapshot) => {
            await saving;
            await store.saveSnapshot?.(id, snapshot);
          },
        },
        waitUntil: (work) => void works.add(work.finally(() => works.delete(work))),
        // `drain()` waits twice as long for it: longer than a busy machine takes to look.
        times: { abortGraceMs: 10_000 },
      },
    );
    await grown(world, 200);
    expect(saved).toEqual([]);
    expect(works.size).toBeGreaterThan(0);
    let isDrained = false;
    const draining = world.pawl.drain({ timeoutMs: 1_000 }).then(() => {
      isDrained = true;
    });
    await settled();
    expect(isDrained).toBe(false);
    save?.();
    await draining;
    expect(saved).toHaveLength(1);
  });

  it("R5 is not kept if it would be too long, or over blobs or upcasters", async () => {
    const { store, saved } = recording();
    const world = setup(endlessly, {}, { store });
    const sessionId = await grown(world, 190);
    await world.say("x".repeat(2_000_001), { sessionId });
    await grown(world, 210, sessionId);
    for (const more of [
      { blobs: memoryBlobs() },
      { upcasters: { "my.event": { 0: (data: never) => data } } },
    ]) {
      const other = recording();
      const { pawl } = setup(endlessly, {}, { store: other.store, ...more });
      let id: string | undefined;
      for (let n = 0; n < 45; n += 1)
        ({ sessionId: id } = await pawl.run("tester", { ...user, input: "Hi", ...(id && { sessionId: id }) })
          .result);
      expect((await other.store.sessions.get(id ?? ""))?.lastSeq).toBeGreaterThan(200);
      expect(other.saved).toEqual([]);
      expect(other.opened.every(({ asked }) => asked === undefined)).toBe(true);
    }
    expect(saved).toEqual([]);
  });

  it("R5 E11 has no text that was redacted, nor the arguments of earlier runs", async () => {
    const { store, saved } = recording();
    const { tool: plain } = echo();
    const world = setup(
      {
        rules: ({ messages }) =>
          messages.length === 1 ? { text: "secret", tools: [calling("echo", "secret")] } : { text: "Fine." },
      },
      { tools: [plain] },
      { store },
    );
    const sessionId = await grown(world, 190);
    await world.say("secret", { sessionId, params: { my: "secret" }, caller: { name: "secret" } });
    for (const { seq } of await world.log(sessionId))
      await world.pawl.redact(sessionId, seq, user).catch(() => undefined);
    saved.length = 0;
    await world.pawl.run("tester", { ...user, sessionId, input: "And now?" }).result;
    expect(saved).toHaveLength(1);
    expect(saved[0]?.state).not.toContain("secret");
  });
});
