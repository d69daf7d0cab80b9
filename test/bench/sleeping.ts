/**
 * `npm run bench sleeping`: 10,000 sessions over Postgres that wait for the same moment, what they cost
 * meanwhile, and how long it takes to wake all of them. `npm run bench sleeping 1000 50 30` sets the sessions,
 * the runs at a time, and the seconds from the start to that moment. No process has timers for them.
 */
import { type Agent, agent, runtime, tool } from "@pawl/core";
import { migrate, postgresStore } from "@pawl/postgres";
import { scriptedModel } from "@pawl/testing";
import pg from "pg";
import * as z from "zod";
import { pause } from "../support/pause.ts";
import { postgresServer } from "../support/postgres-server.ts";

const SESSIONS = Number(process.argv[2] ?? 10_000);
const AT_A_TIME = Number(process.argv[3] ?? 50);
const wakeAt = Date.now() + Number(process.argv[4] ?? 240) * 1_000;

const sleeper: Agent<unknown, "sleeper"> = agent({
  name: "sleeper",
  instructions: "Ask, and accept silence.",
  tools: [
    tool({
      name: "ask",
      description: "Asks the user.",
      input: z.object({}),
      suspends: {
        answer: z.string(),
        expires: { at: new Date(wakeAt).toISOString(), default: "no answer" },
      },
    }),
  ],
  model: scriptedModel(({ messages }) =>
    messages.length === 1 ? { tools: [{ name: "ask", input: {} }] } : { text: "Good bye." },
  ),
});

const server = await postgresServer();
const db = new pg.Pool({ connectionString: server.url(), max: 20 });
db.on("error", () => undefined);
await migrate(db);
const make = () => runtime({ agents: [sleeper], store: postgresStore(db), concurrency: AT_A_TIME });

const falling = make();
let left = SESSIONS;
const began = performance.now();
await Promise.all(
  Array.from({ length: AT_A_TIME }, async () => {
    while (left > 0) {
      left -= 1;
      const { stop } = await falling.run("sleeper", { userId: `user ${left}`, input: "Hi" }).result;
      if (stop.type !== "suspended") throw new Error(`A run ended with ${stop.type}.`);
    }
  }),
);
console.log(`${SESSIONS} sessions fell asleep in ${seconds(began)} s.`);
await falling.drain();

await db.query("VACUUM ANALYZE");
const [size] = (
  await db.query(
    "SELECT pg_total_relation_size('agent_sessions') + pg_total_relation_size('agent_session_events') AS bytes",
  )
).rows;
console.log(`${Math.round(Number(size.bytes) / SESSIONS)} bytes a session, with indexes.`);

const pawl = make();
globalThis.gc?.();
const before = process.memoryUsage().heapUsed;
const cpu = process.cpuUsage();
await pawl.sweep({ wait: true });
const { user, system } = process.cpuUsage(cpu);
console.log(
  `A sweep that finds nothing to do: ${((user + system) / 1_000).toFixed(1)} ms of processor time, ${Math.max(0, Math.round((process.memoryUsage().heapUsed - before) / 1_000))} kB.`,
);

if (Date.now() > wakeAt) throw new Error("They took too long to fall asleep. Raise the seconds.");
await pause(wakeAt - Date.now(), "the sessions sleep until then");
const woken = performance.now();
pawl.start();
for (let open = SESSIONS; open > 0; ) {
  await pause(500, "between two looks at the database");
  open = Number(
    (await db.query("SELECT count(*) AS n FROM agent_sessions WHERE open_run IS NOT NULL")).rows[0].n,
  );
}
console.log(`All were woken and ended in ${seconds(woken)} s, at most ${AT_A_TIME} at a time.`);
await pawl.drain();
await db.end();
await server.remove();
process.exit();

function seconds(from: number): string {
  return ((performance.now() - from) / 1_000).toFixed(1);
}
