import type { EventStore } from "@pawl/core";
import { stateOf } from "../../packages/core/src/fold/load.ts";
import { SNAPSHOT_VERSION } from "../../packages/core/src/log/store/snapshot.ts";
import { openSession } from "../../packages/core/src/stores/open-session.ts";
import { databaseOn } from "../support/database-on.ts";
import { type Context, copyInto, longLog } from "../support/long-sessions.ts";
import { postgresServer } from "../support/postgres-server.ts";
import { type CountedStore, countedStores } from "../support/trip-stores.ts";

// `npm run bench open`: opens sessions of 100, 1,000 and 10,000 events in each store, and folds their state,
// with a snapshot and without. A snapshot is 100 events old: one is kept every 200. Once the context has a
// constant size, because it is summarised, and once everything is in it. `npm run bench open 50` sets the
// rounds.

const ROUNDS = Number(process.argv[2] ?? 40);
const EVENTS = [100, 1_000, 10_000];
const TAIL = 100;
const WARM_UP = 5;

// The progress goes to stderr, so that stdout is the table alone.
console.error("Preparing the sessions' logs");
const logs = new Map<Context, Awaited<ReturnType<typeof longLog>>[]>();
for (const context of ["constant", "everything"] as const)
  logs.set(context, await Promise.all(EVENTS.map((events) => longLog(events, context))));

const server = await postgresServer({ fsync: "off" });
const stores: CountedStore[] = [];
try {
  for (const [name, make] of Object.entries(countedStores)) {
    console.error(`Starting ${name}`);
    stores.push(await make(() => databaseOn(server.url())));
  }
  console.log(
    "| store | context | snapshot | 100 events | 1,000 | 10,000 | wall 10,000 : 100 | CPU 10,000 : 100 | kB read of 100 | of 10,000 |",
  );
  console.log("| --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
  for (const counted of stores) {
    console.error(`Copying sessions to ${counted.name}, and measuring`);
    for (const [context, sessions] of logs) {
      const ids: string[] = [];
      for (const log of sessions) ids.push((await copyInto(counted.store, log, TAIL)).id);
      // A session of 100 events has no snapshot yet.
      await row(counted, context, "no", ids, () => undefined);
      await row(counted, context, "yes", ids, (index) => (index === 0 ? undefined : SNAPSHOT_VERSION));
    }
  }
} finally {
  for (const { close } of stores) await close();
  await server.remove();
}

async function row(
  { name, store, trips }: CountedStore,
  context: Context,
  label: string,
  ids: readonly string[],
  version: (index: number) => string | undefined,
): Promise<void> {
  const times = await measured(store, ids, version);
  const read: number[] = [];
  for (const [index, id] of ids.entries()) {
    trips.list.length = 0;
    await opened(store, id, version(index));
    read.push(Math.round(trips.list.reduce((sum, { received }) => sum + received, 0) / 1_000));
  }
  const [first, , last] = times;
  const ratio = (of: "wall" | "cpu") => ((last?.[of] ?? 0) / (first?.[of] ?? 1)).toFixed(2);
  const cells = [name, context, label, ...times.map(({ wall }) => `${wall.toFixed(2)} ms`)];
  console.log(`| ${[...cells, ratio("wall"), ratio("cpu"), read[0], read.at(-1)].join(" | ")} |`);
}

async function opened(store: EventStore, id: string, snapshot: string | undefined): Promise<void> {
  const wanted = { id, userId: "u1", agent: "coach", holder: "bench", ttlMs: 60_000 };
  const found = await openSession(store, { ...wanted, ...(snapshot !== undefined && { snapshot }) });
  if (found === undefined) throw new Error("There is no such session.");
  const { state } = await stateOf(store, found);
  if (state.lastSeq !== found.session.lastSeq) throw new Error("The state is not complete.");
}

/**
 * Returns the median wall time, and the median CPU time of this process, of opening each session, in
 * milliseconds. The sessions take turns, so that whatever else the machine does slows them all.
 */
async function measured(
  store: EventStore,
  ids: readonly string[],
  version: (index: number) => string | undefined,
): Promise<{ wall: number; cpu: number }[]> {
  const walls = ids.map((): number[] => []);
  const cpus = ids.map((): number[] => []);
  for (let round = -WARM_UP; round < ROUNDS; round += 1) {
    for (const [index, id] of ids.entries()) {
      const before = process.cpuUsage();
      const began = performance.now();
      await opened(store, id, version(index));
      const wall = performance.now() - began;
      const { user, system } = process.cpuUsage(before);
      if (round < 0) continue;
      walls[index]?.push(wall);
      cpus[index]?.push((user + system) / 1_000);
    }
  }
  return ids.map((_, index) => ({ wall: median(walls[index]), cpu: median(cpus[index]) }));
}

function median(times: readonly number[] = []): number {
  return times.toSorted((a, b) => a - b)[times.length >> 1] ?? 0;
}
