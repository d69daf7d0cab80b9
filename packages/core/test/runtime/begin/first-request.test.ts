import { describe, expect, it } from "vitest";
import { settled } from "../../../../../test/support/settled.ts";
import { until } from "../../../../../test/support/until.ts";
import {
  type EventStore,
  type Hook,
  jsonSchema,
  memoryStore,
  PawlError,
  type StoredEvent,
  tool,
} from "../../../src/index.ts";
import type { NewEvent } from "../../../src/store.ts";
import { setup, user } from "../../support/setup.ts";
import { beforeAppend, dyingStore, has } from "../../support/stores.ts";

const START = ["run_started", "prefix", "user_message"];
const ok = { text: "Fine." };

/** A store in memory, and the types of the events of each append. */
function watched() {
  const appends: string[][] = [];
  const store = beforeAppend(memoryStore(), (events) => {
    appends.push(events.map(({ type }) => type));
  });
  return { store, appends };
}

/** Ids by their number, so that two runtimes that take the same steps make the same ids. */
function numbered() {
  let id = 0;
  return () => `id-${++id}`;
}

const withoutTimes = (log: readonly StoredEvent[]) =>
  log.map(({ at: _, durationMs: __, ...event }) => ({
    ...event,
    data: JSON.parse(
      JSON.stringify(event.data, (key, value) => (/_ms$|request_id|^id$/.test(key) ? 0 : value)),
    ),
  }));

const echo = tool({
  name: "echo",
  description: "Echoes.",
  input: jsonSchema({ type: "object" }),
  execute: () => "echo",
});

describe("the first request of a run", () => {
  it("R1 is stored with the start of its run and the message", async () => {
    const { store, appends } = watched();
    const { say } = setup([ok, ok], {}, { store });
    const { sessionId } = await say("Hi");
    expect(appends[0]).toEqual([...START, "llm_request"]);
    appends.length = 0;
    await say("Again", { sessionId });
    expect(appends[0]).toEqual(["run_started", "user_message", "llm_request"]);
  });

  it("R1 leaves the log as it is if the request is stored by itself", async () => {
    const logs: unknown[] = [];
    const hook: Hook = { name: "looks", beforeTurn: () => undefined };
    for (const hooks of [[], [hook]]) {
      const world = setup(
        [{ tools: [{ name: "echo", input: {}, id: "c1" }] }, ok, { thinking: "Hm.", text: "Yes." }, ok],
        { hooks, tools: [echo], userData: { read: () => "Ada." } },
        { testing: { newId: numbered() } },
      );
      const { sessionId } = await world.say("Hi", { knowledge: [{ source: "s", data: "k" }] });
      await world.say("And now?", { sessionId, params: { a: 1 } });
      await world.say("At last", { sessionId });
      logs.push(withoutTimes(await world.log(sessionId)));
      expect(world.model.rejected).toEqual([]);
    }
    expect(logs[0]).toEqual(logs[1]);
  });

  it.each(["beforeRun", "beforeTurn", "beforeModel"] as const)(
    "R1 waits for the application: the start is stored before %s is called",
    async (method) => {
      const { store, appends } = watched();
      let seen: string[][] = [];
      const hook: Hook = {
        name: "looks",
        [method]: () => {
          seen = [...appends];
          return undefined;
        },
      };
      await setup([ok], { hooks: [hook] }, { store }).say("Hi");
      expect(seen).toEqual([START]);
      expect(appends[1]).toEqual(["llm_request"]);
    },
  );

  it("R1 waits for a checkpoint's strategy", async () => {
    const { store, appends } = watched();
    await setup([ok], { checkpointWhen: [() => undefined] }, { store }).say("Hi");
    expect(appends.slice(0, 2)).toEqual([START, ["llm_request"]]);
  });

  it("R1 does not wait for asynchronous `deps`: the message is stored before they are there", async () => {
    const atOnce = watched();
    await setup([ok], {}, { store: atOnce.store, deps: () => "here" }).say("Hi");
    expect(atOnce.appends[0]).toEqual([...START, "llm_request"]);
    for (const arrived of [async () => undefined, settled]) {
      const { store, appends } = watched();
      const deps = async () => {
        await arrived();
        return appends.length;
      };
      await setup([ok], {}, { store, deps }).say("Hi");
      expect(appends.slice(0, 2)).toEqual([START, ["llm_request"]]);
    }
  });

  it("L12 is not stored if `deps` fail: the message is, and the run ends as an error", async () => {
    const { store, appends } = watched();
    const deps = () => {
      throw new Error("no database");
    };
    const { say } = setup([ok], {}, { store, deps, onError: () => undefined });
    expect((await say("Hi")).stop.type).toBe("error");
    expect(appends[0]).toEqual(START);
    expect(appends.flat()).not.toContain("llm_request");
  });

  it("covers what another process stores while it is prepared", async () => {
    const inner = memoryStore();
    let late = true;
    const store = beforeAppend(inner, async (events, sessionId) => {
      if (!has(events, "run_started") || !late) return;
      late = false;
      await inner.append(sessionId, [{ type: "note", data: { text: "late" } }], { appendId: "other" });
    });
    const world = setup([ok], {}, { store });
    const { sessionId } = await world.say("Hi");
    const log = await world.log(sessionId);
    expect(log.slice(0, 5).map(({ type }) => type)).toEqual(["note", ...START, "llm_request"]);
    expect(log[4]).toMatchObject({ data: { prompt: { upto_seq: 4 } } });
    expect(JSON.stringify(world.model.requests[0]?.messages)).toContain("late");
  });
});

describe("a process that dies at the beginning", () => {
  const message = { ...user, input: "Hi", clientMessageId: "m1" };
  const starts = (events: readonly NewEvent[]) => has(events, "run_started");

  /** Another process sweeps after the lease's time, and gets the message again, twice. */
  async function sentAgain(inner: EventStore, advance: () => void, replies: number) {
    advance();
    const world = setup(
      Array.from({ length: replies }, () => ok),
      {},
      { store: inner },
    );
    await world.pawl.sweep();
    const runs = [world.pawl.run("tester", message), world.pawl.run("tester", message)];
    const [first, second] = await Promise.allSettled(runs.map(({ started }) => started));
    const { sessionId } = first?.status === "fulfilled" ? first.value : { sessionId: "" };
    expect(second).toMatchObject({ status: "fulfilled", value: { sessionId } });
    for await (const _event of world.pawl.follow(sessionId, { untilIdle: true }));
    return { world, log: await world.log(sessionId) };
  }

  function clocked() {
    let ms = 0;
    return {
      inner: memoryStore({ now: () => ms }),
      advance: () => {
        ms += 60_000;
      },
    };
  }

  it("E2 before its session is opened has begun nothing", async () => {
    const { inner, advance } = clocked();
    const open = () => Promise.reject(new PawlError("store_unavailable", "dead"));
    const dead = setup([], {}, { store: { ...inner, open } });
    await expect(dead.pawl.run("tester", message).started).rejects.toMatchObject({
      code: "store_unavailable",
    });
    const { log } = await sentAgain(inner, advance, 1);
    expect(log.filter(({ type }) => type === "run_ended")).toHaveLength(1);
  });

  it("E2 after its session is opened leaves a session without events, whose lease expires", async () => {
    const { inner, advance } = clocked();
    const open: EventStore["open"] = async (wanted) => {
      await inner.open?.(wanted);
      throw new PawlError("store_unavailable", "dead");
    };
    const dead = setup([], {}, { store: { ...inner, open } });
    await expect(dead.pawl.run("tester", message).started).rejects.toMatchObject({
      code: "store_unavailable",
    });
    const { log } = await sentAgain(inner, advance, 1);
    expect(log.map(({ type }) => type).slice(0, 4)).toEqual([...START, "llm_request"]);
    expect(log.filter(({ type }) => type === "run_ended")).toHaveLength(1);
  });

  it("E2 opens the session again if it did not get the result, and begins one run", async () => {
    const { inner } = clocked();
    let lost = 0;
    const open: EventStore["open"] = async (wanted) => {
      const opened = await inner.open?.(wanted);
      if (lost++ === 0) throw new PawlError("store_unavailable", "The answer was lost.");
      return opened;
    };
    const world = setup([ok], {}, { store: { ...inner, open }, times: { storeRetryMs: [1] } });
    const run = world.pawl.run("tester", message);
    expect((await run.result).text).toBe("Fine.");
    expect((await inner.sessions.list({ userId: "u1" })).length).toBe(1);
  });

  it("E2 before the start is stored has begun nothing: the message sent again begins the run", async () => {
    const { inner, advance } = clocked();
    const store = beforeAppend(inner, (events) => {
      if (starts(events)) throw new PawlError("store_unavailable", "dead");
    });
    const dead = setup([], {}, { store: { ...store, release: async () => undefined } });
    await expect(dead.pawl.run("tester", message).started).rejects.toMatchObject({
      code: "store_unavailable",
    });
    const { log } = await sentAgain(inner, advance, 1);
    expect(log.filter(({ type }) => type === "user_message")).toHaveLength(1);
    expect(log.filter(({ type }) => type === "llm_request")).toHaveLength(1);
  });

  it("E2 L13 after the start and its request are stored is charged for it, and another process answers once", async () => {
    const { inner, advance } = clocked();
    const store = dyingStore(inner, starts);
    const dead = setup([], {}, { store });
    void dead.pawl.run("tester", message).started.catch(() => undefined);
    await until(() => store.dead);
    const { world, log } = await sentAgain(inner, advance, 1);
    expect(dead.model.requests).toHaveLength(0);
    expect(world.model.requests).toHaveLength(1);
    expect(log.map(({ type }) => type).slice(0, 7)).toEqual([
      ...[...START, "llm_request"],
      ...["run_recovered", "spending", "llm_request"],
    ]);
    expect(log.filter(({ type }) => type === "user_message")).toHaveLength(1);
    expect(log.filter(({ type }) => type === "run_ended")).toHaveLength(1);
  });
});
