import { databaseOn } from "../support/database-on.ts";
import { postgresServer } from "../support/postgres-server.ts";
import { type BareTable, type CountedStore, countedStores } from "../support/trip-stores.ts";
import { stories, type Told, tell, type Way } from "../support/trip-stories.ts";

// `npm run bench trips`: counts the trips to each store in six stories, by kind and with their bytes, before
// the first request to the model and after it. Then measures the time to the first byte of the model with 0, 5
// and 20 ms added to each trip, beside a hand-written loop that stores its messages. `npm run bench trips 5`
// sets the rounds of the measurement.

const ROUNDS = Number(process.argv[2] ?? 7);
const DELAYS_MS = [0, 5, 20];
const second = stories.find(({ name }) => name === "second message");

const server = await postgresServer({ fsync: "off" });
const stores: CountedStore[] = [];
try {
  for (const make of Object.values(countedStores)) stores.push(await make(() => databaseOn(server.url())));
  console.log(
    "| store | story | trips before the model, `run()` | over HTTP | trips after | bytes before | bytes after |",
  );
  console.log("| --- | --- | --- | --- | --- | ---: | ---: |");
  for (const { name, store, trips } of stores) {
    for (const story of stories) {
      const told = await tell(store, trips, story, "run");
      const served = await tell(store, trips, story, "handler");
      const cells = [name, story.name, kinds(told.first), kinds(served.first), kinds(told.rest)];
      console.log(`| ${[...cells, bytes(told.first), bytes(told.rest)].join(" | ")} |`);
    }
  }
  console.log("\nMilliseconds from a second message to the first byte of the model, medians\n");
  console.log(`| store | loop | ${DELAYS_MS.map((ms) => `+ ${ms} ms a trip`).join(" | ")} |`);
  console.log(`| --- | --- | ${DELAYS_MS.map(() => "---:").join(" | ")} |`);
  for (const counted of stores) {
    const { bare } = counted;
    if (bare !== undefined) await row(counted, "hand-written", () => handWritten(bare));
    await row(counted, "`run()`", () => pawl(counted, "run"));
    await row(counted, "`handler()`", () => pawl(counted, "handler"));
  }
} finally {
  for (const { close } of stores) await close();
  await server.remove();
}

/** Returns the number of trips, and of each kind. */
function kinds(trips: Told["first"]): string {
  const counts = new Map<string, number>();
  for (const { kind } of trips) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  const each = Array.from(counts, ([kind, count]) => (count === 1 ? kind : `${count} ${kind}`));
  return trips.length === 0 ? "0" : `${trips.length}: ${each.join(", ")}`;
}

function bytes(trips: Told["first"]): number {
  return trips.reduce((sum, { sent, received }) => sum + sent + received, 0);
}

async function row({ name, trips }: CountedStore, loop: string, measure: () => Promise<number>) {
  const medians: string[] = [];
  for (const delayMs of DELAYS_MS) {
    trips.delayMs = delayMs;
    await measure();
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) times.push(await measure());
    medians.push((times.toSorted((a, b) => a - b)[ROUNDS >> 1] ?? 0).toFixed(1));
  }
  trips.delayMs = 0;
  console.log(`| ${[name, loop, ...medians].join(" | ")} |`);
}

async function pawl({ store, trips }: CountedStore, way: Way): Promise<number> {
  if (second === undefined) throw new Error("There is no such story.");
  return (await tell(store, trips, second, way)).firstMs;
}

/** A loop as one would write it: reads the session's messages, stores the new one, then asks the model. */
async function handWritten(bare: BareTable): Promise<number> {
  const id = crypto.randomUUID();
  const began = performance.now();
  await bare.all(id);
  await bare.add(id, { role: "user", content: "And now?" });
  return performance.now() - began;
}
