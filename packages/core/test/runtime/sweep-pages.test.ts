import { expect, it } from "vitest";
import { eachWay } from "../../../../test/support/each-way.ts";
import { type EventStore, memoryStore, PawlError } from "../../src/index.ts";
import { type Engine, localEngine } from "../../src/store.ts";
import { abandoned, ids } from "../support/abandoned.ts";
import { code } from "../support/errors.ts";
import { setup } from "../support/setup.ts";

/** Wraps a store so that it counts the rows and the calls of its lists. */
function countingLists(inner: EventStore) {
  const lists = { calls: 0, rows: 0 };
  const listRecoverable: EventStore["listRecoverable"] = async (options) => {
    const rows = await inner.listRecoverable(options);
    lists.calls += 1;
    lists.rows += rows.length;
    return rows;
  };
  return { store: { ...inner, listRecoverable }, lists };
}

/** An engine whose workers never come, so that all runs wait. */
function deafEngine() {
  const woken: string[] = [];
  const engine: Engine = { ...localEngine(), wake: async (id) => void woken.push(id) };
  return { engine, woken };
}

/** Stores whose authors do not know the option `after`. */
const withoutPages = (store: EventStore): EventStore => ({
  ...store,
  listRecoverable: ({ after: _, ...options }) => store.listRecoverable(options),
});

it.each([1_000, 10_000])("B8 a sweep over %i runs that wait reads each row about once", async (count) => {
  const inner = memoryStore();
  await abandoned(inner, ids("waiting", count));
  const { store, lists } = countingLists(inner);
  const { engine, woken } = deafEngine();
  const { pawl } = setup([], {}, { store, engine, concurrency: 0 });
  expect(await pawl.sweep()).toBe(0);
  expect(new Set(woken).size).toBe(count);
  expect(woken).toHaveLength(count);
  // The first page is listed twice, and the last list looks for agents that this runtime lacks.
  expect(lists.rows).toBeLessThanOrEqual(count + 300);
  expect(lists.calls).toBeLessThanOrEqual(count / 100 + 5);
});

it.each([
  ["knows pages", (store: EventStore) => store],
  ["ignores the option `after`", withoutPages],
])("B8 E2 a sweep ends, and finds each run once, over a store that %s", async (_, as) => {
  let time = 0;
  const inner = memoryStore({ now: () => time++ });
  const all = ids("waiting", 450);
  await abandoned(inner, all);
  const { engine, woken } = deafEngine();
  const { pawl } = setup([], {}, { store: as(inner), engine, concurrency: 0 });
  await pawl.sweep();
  expect(woken.slice(0, 100)).toEqual(all.slice(0, 100));
  expect(woken.toSorted()).toEqual(all.toSorted());
});

it("B8 sessions that are updated during a sweep are resumed once, and do not make it endless", async () => {
  let time = 0;
  const inner = memoryStore({ now: () => time++ });
  const all = ids("touched", 250);
  await abandoned(inner, all);
  const woken: string[] = [];
  const engine: Engine = {
    ...localEngine(),
    wake: async (id) => {
      woken.push(id);
      const note = { type: "note" as const, data: { text: "touched" } };
      await inner.append(id, [note], { appendId: `touch ${woken.length}` });
    },
  };
  const { pawl } = setup([], {}, { store: inner, engine, concurrency: 0 });
  await pawl.sweep();
  expect(woken.toSorted()).toEqual(all.toSorted());
});

it.each(eachWay("open"))(
  "B8 P1 120 sessions that cannot be read delay no other one, and a sweep tries each once, in a store %s",
  async (_way, as) => {
    let time = 0;
    const inner = memoryStore({ now: () => time++ });
    const lost = ids("lost", 120);
    await abandoned(inner, [...lost, "healthy"]);
    const tried: string[] = [];
    const refuse = (id: string) => {
      tried.push(id);
      if (id !== "healthy") throw new PawlError("store_unavailable", "A blob is missing.");
    };
    const store: EventStore = {
      ...inner,
      open: async (wanted) => {
        refuse(wanted.id);
        return await inner.open?.(wanted);
      },
      acquire: async (id, holder, ttlMs) => {
        refuse(id);
        return await inner.acquire(id, holder, ttlMs);
      },
    };
    const reported: unknown[] = [];
    const onError = (error: unknown) => reported.push(error);
    const { pawl } = setup([], {}, { store: as(store), onError });
    expect(await pawl.sweep()).toBe(1);
    expect(tried.filter((id) => id !== "healthy").toSorted()).toEqual(lost.toSorted());
    expect(reported.filter(code("store_unavailable"))).toHaveLength(120);
    await pawl.drain();
  },
);
