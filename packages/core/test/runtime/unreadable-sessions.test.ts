import { testClock } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { eachWay } from "../../../../test/support/each-way.ts";
import { settled } from "../../../../test/support/settled.ts";
import {
  type Clock,
  type EventStore,
  memoryBlobs,
  memoryStore,
  PawlError,
  systemClock,
  withBlobs,
} from "../../src/index.ts";
import { type BlobStore, type Engine, localEngine } from "../../src/store.ts";
import { abandoned, ids } from "../support/abandoned.ts";
import { code } from "../support/errors.ts";
import { setup, stored, until } from "../support/setup.ts";

/** Runs retry calls of the store after these pauses by default. */
const STORE_RETRY_MS = [50, 250];

/** A bucket without blobs. Counts how often one was looked for. */
function emptyBlobs() {
  const seen = { reads: 0 };
  const blobs: BlobStore = {
    ...memoryBlobs(),
    get: async () => {
      seen.reads += 1;
      return undefined;
    },
  };
  return { blobs, seen };
}

describe.each(eachWay("open"))("sessions that cannot be read, in a store %s", (_way, as) => {
  it("E2 do not hold up the others, nor do sessions of other agents", async () => {
    let time = 0;
    const inner = memoryStore({ now: () => time++ });
    await abandoned(inner, ids("gone", 110), "gone");
    await abandoned(withBlobs(inner, memoryBlobs(), { aboveBytes: 0 }), ["lost"]);
    const healthy = ids("healthy", 9);
    await abandoned(inner, healthy);
    const reported: unknown[] = [];
    const store = withBlobs(as(inner), emptyBlobs().blobs);
    const world = setup(
      { rules: () => ({ text: "Here." }) },
      {},
      { store, onError: (e) => reported.push(e) },
    );
    expect(await world.pawl.sweep()).toBe(9);
    expect(reported).toContainEqual(expect.objectContaining({ code: "store_unavailable" }));
    for (const id of healthy) await stored(world, id, "run_ended");
  });

  it("P1 delay no recovery behind them, are reported once, and are read again rarely", async () => {
    let time = 0;
    const inner = memoryStore({ now: () => time });
    const lost = withBlobs(inner, memoryBlobs(), { aboveBytes: 0 });
    for (const id of ids("lost", 250)) {
      await abandoned(lost, [id]);
      time += 1;
    }
    await abandoned(inner, ["healthy"]);
    time += 1;
    const { blobs, seen } = emptyBlobs();
    const counts = { reported: 0, sleeps: 0 };
    const clock: Clock = {
      now: () => time,
      after: (ms, then, options) => {
        const isRetry = STORE_RETRY_MS.includes(ms);
        if (isRetry) counts.sleeps += 1;
        return systemClock.after(isRetry ? 0 : ms, then, options);
      },
    };
    const onError = (error: unknown) => {
      if (PawlError.is(error, "store_unavailable")) counts.reported += 1;
    };
    const times = { leaseTtlMs: 10_000, storeRetryMs: STORE_RETRY_MS };
    const options = { testing: { clock }, onError, times };
    const { pawl } = setup([{ text: "Here." }], {}, { store: withBlobs(as(inner), blobs), ...options });
    expect(await pawl.sweep()).toBe(1);
    expect({ ...seen, ...counts }).toEqual({ reads: 250, reported: 250, sleeps: 0 });
    time += 10_000;
    await pawl.sweep();
    expect(seen.reads).toBe(250);
    time += 10_000;
    await pawl.sweep();
    expect({ ...seen, ...counts }).toEqual({ reads: 500, reported: 250, sleeps: 0 });
  });

  it.each([
    ["a sweep", {}],
    ["the places of a process", { concurrency: 3 }],
  ])("P1 Q1 that hang, however many, keep %s from others for a lease at most", async (_, more) => {
    const inner = memoryStore();
    const hanging = ids("hanging", 20);
    await abandoned(inner, [...hanging, "healthy"]);
    const answered = Promise.withResolvers<undefined>();
    const opened: string[] = [];
    const wait = async (id: string) => {
      if (!hanging.includes(id)) return;
      opened.push(id);
      await answered.promise;
    };
    const store: EventStore = {
      ...inner,
      open: async (wanted) => {
        await wait(wanted.id);
        return await inner.open?.(wanted);
      },
      read: async function* (id, options) {
        await wait(id);
        yield* inner.read(id, options);
      },
    };
    const reported: unknown[] = [];
    const onError = (error: unknown) => reported.push(error);
    const script = Array.from({ length: 21 }, () => ({ text: "Here." }));
    const { pawl } = setup(script, {}, { store: as(store), onError, times: { leaseTtlMs: 200 }, ...more });
    const hasEnded = async (id: string) => (await inner.sessions.get(id))?.openRun === null;
    await pawl.sweep();
    await until(() => hasEnded("healthy"));
    await until(async () => {
      await pawl.sweep();
      return reported.filter(code("store_unavailable")).length === 20;
    });
    const openings = opened.length;
    await pawl.sweep();
    // Each is reported once, and none is opened again while the store has not answered.
    expect(reported.filter(code("store_unavailable"))).toHaveLength(20);
    expect(opened).toHaveLength(openings);
    answered.resolve(undefined);
    for (const id of hanging) await until(() => hasEnded(id));
  });

  it("B8 that hang, however many, keep a sweep from others for a tenth of the lease time each eight", async () => {
    const inner = memoryStore();
    const hanging = ids("a hanging", 20);
    await abandoned(inner, [...hanging, ...ids("b healthy", 5)]);
    const opened: string[] = [];
    const wait = async (id: string) => {
      opened.push(id);
      if (hanging.includes(id)) await new Promise(() => undefined);
    };
    const store: EventStore = {
      ...inner,
      open: async (wanted) => {
        await wait(wanted.id);
        return await inner.open?.(wanted);
      },
      acquire: async (id, ...rest) => {
        await wait(id);
        return await inner.acquire(id, ...rest);
      },
    };
    const clock = testClock();
    const times = { leaseTtlMs: 10_000 };
    const { pawl } = setup(
      { rules: () => ({ text: "Here." }) },
      {},
      { store: as(store), times, testing: { clock }, onError: () => undefined },
    );
    const sweeping = pawl.sweep();
    for (const count of [8, 16, 25]) {
      await until(() => opened.length === count);
      await settled();
      expect(opened).toHaveLength(count);
      await clock.advance(1_000);
    }
    // No other sweep opens them again.
    expect(await pawl.sweep()).toBe(0);
    expect(opened).toHaveLength(25);
    await clock.advance(10_000);
    expect(await sweeping).toBe(5);
  });

  it("B8 that hang are opened beside others until there are 100, and then eight in a lease time", async () => {
    const inner = memoryStore();
    await abandoned(inner, ids("hanging", 200));
    let opened = 0;
    const hang = async () => {
      opened += 1;
      return await new Promise<never>(() => undefined);
    };
    const clock = testClock();
    const store: EventStore = { ...inner, open: hang, acquire: hang };
    const { pawl } = setup(
      [],
      {},
      { store: as(store), times: { leaseTtlMs: 10_000 }, testing: { clock }, onError: () => undefined },
    );
    void pawl.sweep();
    for (let seconds = 0; seconds <= 20; seconds += 1) {
      await until(() => opened === (seconds < 13 ? Math.min(8 * (seconds + 1), 100) : 108));
      await settled();
      await clock.advance(1_000);
    }
    expect(opened).toBe(108);
    await clock.advance(2_000);
    await until(() => opened === 116);
  });

  it("P1 delay nobody while the store still tries to read them", async () => {
    const inner = memoryStore();
    const slow = ids("slow", 5);
    await abandoned(inner, [...slow, "healthy"]);
    const { promise, reject } = Promise.withResolvers<never>();
    const isSlow = (id: string) => (slow.includes(id) ? promise : undefined);
    const store: EventStore = {
      ...inner,
      open: async (wanted) => (await isSlow(wanted.id)) ?? (await inner.open?.(wanted)),
      read: async function* (id, options) {
        await isSlow(id);
        yield* inner.read(id, options);
      },
    };
    const reported: unknown[] = [];
    const world = setup([{ text: "Here." }], {}, { store: as(store), onError: (e) => reported.push(e) });
    const sweeping = world.pawl.sweep();
    await until(async () => (await inner.sessions.get("healthy"))?.openRun === null);
    reject(new PawlError("store_unavailable", "A blob is missing."));
    expect(await sweeping).toBe(1);
    expect(reported.filter(code("store_unavailable"))).toHaveLength(5);
  });
});

it("Q1 take no place of the process: a sweep works on another session in it", async () => {
  const inner = memoryStore();
  const lost = ids("lost", 3);
  await abandoned(inner, lost);
  const isLost = (id: string) => lost.includes(id);
  const store: EventStore = {
    ...inner,
    open: async (wanted) => {
      if (isLost(wanted.id)) throw new PawlError("store_unavailable", "A blob is missing.");
      return await inner.open?.(wanted);
    },
  };
  const wakes: string[] = [];
  const engine: Engine = { ...localEngine(), wake: async (id) => void wakes.push(id) };
  const reported: unknown[] = [];
  const onError = (error: unknown) => reported.push(error);
  const { pawl } = setup([{ text: "Here." }], {}, { store, engine, concurrency: 3, onError });
  expect(await pawl.sweep()).toBe(0);
  expect(reported.filter(code("store_unavailable"))).toHaveLength(3);
  await abandoned(inner, ["healthy"]);
  expect(await pawl.sweep({ wait: true })).toBe(1);
  expect(wakes).toEqual([]);
});

it("P1 are reported again if they could be read in between", async () => {
  let now = 0;
  const inner = memoryStore({ now: () => now });
  await abandoned(inner, ["lost"]);
  let isLost = true;
  const store: EventStore = {
    ...inner,
    open: async (wanted) => {
      if (isLost) throw new PawlError("store_unavailable", "A blob is missing.");
      return await inner.open?.(wanted);
    },
  };
  const reported: unknown[] = [];
  const options = {
    testing: { clock: { ...systemClock, now: () => now } },
    times: { leaseTtlMs: 10_000 },
  };
  const { pawl } = setup([], {}, { store, ...options, onError: (e) => reported.push(e) });
  const sweep = async (lost: boolean) => {
    isLost = lost;
    now += 20_000;
    return await pawl.sweep({ wait: true });
  };
  expect([await sweep(true), await sweep(false)]).toEqual([0, 1]);
  const data = { run_id: "r2", agent: "tester", agent_version: "1" };
  const start = { appendId: "b", session: { openRun: "r2" } };
  await inner.append("lost", [{ type: "run_started", data }], start);
  expect([await sweep(true), await sweep(false)]).toEqual([0, 1]);
  expect(reported.filter(code("store_unavailable"))).toHaveLength(2);
});

it("Q1 a sweep opens few sessions at the same time, however many were abandoned", async () => {
  const inner = memoryStore();
  await abandoned(inner, ids("healthy", 40));
  let now = 0;
  let most = 0;
  const store: EventStore = {
    ...inner,
    open: async (wanted) => {
      most = Math.max(most, ++now);
      await settled();
      now -= 1;
      return await inner.open?.(wanted);
    },
  };
  const { pawl } = setup([], {}, { store, onError: () => undefined });
  expect(await pawl.sweep()).toBe(40);
  expect(most).toBe(8);
  await pawl.drain();
});

it("U3 a process that drains opens no more of the sessions that its sweep has found", async () => {
  const inner = memoryStore();
  await abandoned(inner, ids("healthy", 20));
  const gate = Promise.withResolvers<void>();
  let opened = 0;
  const store: EventStore = {
    ...inner,
    open: async (wanted) => {
      opened += 1;
      await gate.promise;
      return await inner.open?.(wanted);
    },
  };
  const { pawl } = setup([], {}, { store, onError: () => undefined });
  const sweeping = pawl.sweep();
  await until(() => opened === 8);
  const drained = pawl.drain();
  gate.resolve();
  await Promise.all([sweeping, drained]);
  expect(opened).toBe(8);
});

it("P1 a message to a session that cannot be read is retried, as it was before", async () => {
  const inner = memoryStore();
  await inner.sessions.create({ id: "lost", userId: "u1", agent: "tester" });
  const note = { type: "note" as const, data: { text: "lost" } };
  await withBlobs(inner, memoryBlobs(), { aboveBytes: 0 }).append("lost", [note], { appendId: "a" });
  const { blobs, seen } = emptyBlobs();
  const { say } = setup([], {}, { store: withBlobs(inner, blobs), times: { storeRetryMs: [1, 1] } });
  await expect(say("Hello?", { sessionId: "lost" })).rejects.toSatisfy(code("store_unavailable"));
  expect(seen.reads).toBe(3);
});
