import { describe, expect, it } from "vitest";
import {
  memoryBlobs,
  memoryFiles,
  memoryStore,
  PawlError,
  type RunOptions,
  type Upcasters,
} from "../../../src/index.ts";
import { jpeg } from "../../support/files.ts";
import { doing } from "../../support/for-caller.ts";
import { never, type Options, setup, types, user } from "../../support/setup.ts";
import { beforeAppend, failingStore, has } from "../../support/stores.ts";

const ok = { text: "Fine." };
const picture = [{ type: "file", data: jpeg(80, 60) }] as const;

function fail(message: string): never {
  throw new Error(message);
}

/** How the beginning of a message fails after its session was opened, and the code of its refusal. */
const failures: Record<string, (when: { now: boolean }) => { code: string } & Setting> = {
  "the file store": (when) => {
    const files = memoryFiles();
    const put: typeof files.put = async (...file) => (when.now ? fail("full") : await files.put(...file));
    return { code: "", message: { input: [...picture] }, runtime: { files: { ...files, put } } };
  },
  "a function `tools`": (when) => ({
    code: "tools_failed",
    agent: { tools: () => (when.now ? fail("down") : []) },
  }),
  "the name of a tool that the page offers": (when) => ({
    code: "invalid_input",
    agent: { clientTools: true, tools: () => (when.now ? [doing("look")] : []) },
    message: { clientTools: [{ name: "look", description: "Looks.", inputSchema: { type: "object" } }] },
  }),
  "the append": (when) => ({
    code: "store_unavailable",
    runtime: { store: failingStore(memoryStore(), (events) => when.now && has(events, "run_started")) },
  }),
  "an upcaster": (when) => {
    const store = memoryStore();
    const open: typeof store.open = async (wanted) => {
      const opened = await store.open?.(wanted);
      return opened && { ...opened, events: opened.events.map((event) => ({ ...event, v: 0 })) };
    };
    const upcasters: Upcasters = { user_message: { 0: (data) => (when.now ? fail("old") : data) } };
    return { code: "", runtime: { store: { ...store, open }, upcasters } };
  },
  "a blob": (when) => {
    const blobs = memoryBlobs();
    const get: typeof blobs.get = async (...id) => (when.now ? undefined : await blobs.get(...id));
    const input = "long ".repeat(60_000);
    return { code: "store_unavailable", runtime: { blobs: { ...blobs, get } }, message: { input } };
  },
};

interface Setting {
  agent?: Options;
  runtime?: Parameters<typeof setup>[2];
  message?: Partial<RunOptions>;
}

describe("a session that was opened for a message", () => {
  it.each(Object.entries(failures))("E3 is free again at once if %s fails", async (_, make) => {
    const when = { now: false };
    const { code, agent, runtime, message } = make(when);
    const world = setup([ok, ok, ok], agent, { onError: () => undefined, ...runtime });
    const { sessionId } = await world.say("Hi", message);
    when.now = true;
    const refused = await world.say("Again", { sessionId, ...message }).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(Error);
    if (code !== "") expect(refused).toMatchObject({ code });
    when.now = false;
    expect((await world.say("Once more", { sessionId, ...message })).text).toBe("Fine.");
    expect(await world.of(sessionId, "user_message")).toHaveLength(2);
    expect(world.model.rejected).toEqual([]);
  });

  it("C1 costs nothing if the message was given up before its run began", async () => {
    const world = setup([ok]);
    const { sessionId, stop } = await world.say("Hi", { signal: AbortSignal.abort() });
    expect(stop.type).toBe("aborted");
    expect(types(await world.log(sessionId))).toEqual(["run_started", "prefix", "user_message", "run_ended"]);
    expect((await world.store.sessions.get(sessionId))?.usage.inputTokens).toBe(0);
  });

  it("C1 costs nothing if the message was given up while its start was stored", async () => {
    const given = new AbortController();
    const store = beforeAppend(memoryStore(), (events) => {
      if (has(events, "run_started")) given.abort();
    });
    const world = setup([ok], {}, { store });
    const { sessionId, stop } = await world.say("Hi", { signal: given.signal });
    expect(stop.type).toBe("aborted");
    expect(world.model.requests).toEqual([]);
    expect(await store.sessions.get(sessionId)).toMatchObject({ openRun: null, usage: { inputTokens: 0 } });
  });

  it("F1 stores a message before its files are read for the model, and a stop ends that", async () => {
    const files = memoryFiles();
    const world = setup([ok], {}, { files: { ...files, get: () => never() } });
    const run = world.pawl.run("tester", { ...user, input: [...picture] });
    const { sessionId, afterSeq } = await run.started;
    expect(afterSeq).toBe(0);
    expect(types(await world.log(sessionId)).slice(0, 3)).toEqual(["run_started", "prefix", "user_message"]);
    await world.pawl.stop(sessionId, user);
    expect((await run.result).stop.type).toBe("aborted");
  });

  it("E2 is read on if the store returned only the beginning of its log, and is free if that fails", async () => {
    const inner = memoryStore();
    let fails = false;
    const store: typeof inner = {
      ...inner,
      open: async (wanted) => {
        const opened = await inner.open?.(wanted);
        return opened && { ...opened, events: opened.events.slice(0, 2) };
      },
      read: (id, options) => (fails && options?.types === undefined ? fail("down") : inner.read(id, options)),
    };
    const world = setup([ok, ok], {}, { store });
    const { sessionId } = await world.say("First");
    fails = true;
    await expect(world.pawl.run("tester", { ...user, sessionId, input: "No" }).started).rejects.toThrow();
    fails = false;
    expect((await world.say("Second", { sessionId })).text).toBe("Fine.");
    expect(JSON.stringify(world.model.requests[1]?.messages)).toMatch(/First.*Fine.*Second/);
    expect(world.model.rejected).toEqual([]);
  });

  it("E3 is opened again if another process took it over before the start was stored", async () => {
    let taken = false;
    const store = beforeAppend(memoryStore(), (events) => {
      if (taken || !has(events, "run_started")) return;
      taken = true;
      throw new PawlError("fenced", "Another process has the session.");
    });
    const world = setup([ok], {}, { store });
    const { sessionId, text } = await world.say("Hi");
    expect(text).toBe("Fine.");
    expect(await world.of(sessionId, "run_started")).toHaveLength(1);
  });
});
