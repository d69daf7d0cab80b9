import { agent, type EventStore, type Runtime, runtime, tool } from "@pawl/core";
import { type Database, migrate, postgresStore } from "@pawl/postgres";
import { scriptedModel } from "@pawl/testing";
import type pg from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import * as z from "zod";
import { pause } from "../support/pause.ts";
import { type TestDatabase, testDatabase } from "../support/postgres.ts";
import { soak } from "../support/soak.ts";

const RACES = soak(30, 600);
/** The number of runs at the same time. */
const SIDE_BY_SIDE = 6;
const user = { userId: "u1" };

let database: TestDatabase;
let store: EventStore;
beforeAll(async () => {
  database = await testDatabase();
  const pool = database.pool({ max: 8 });
  await migrate(pool);
  store = postgresStore(distant(pool));
});
afterAll(async () => await database.drop());

/** Simulates a database over a network: up to 5 ms before and up to 5 ms after each statement. */
function distant(pool: pg.Pool): Database {
  const travel = () => pause(Math.random() * 5, "a network takes this long");
  return {
    query: async (text, values) => {
      await travel();
      const result = await pool.query(text, values as unknown[]);
      await travel();
      return result;
    },
  };
}

const ask = tool({
  name: "ask",
  description: "Asks.",
  input: z.object({ about: z.string() }),
  repeatable: true,
  suspends: { answer: z.string() },
  execute: (_, { answer }) => answer,
});
const tester = agent({
  name: "tester",
  instructions: "You are a test.",
  tools: [ask],
  whenBusy: "queue",
  model: scriptedModel((request) => {
    const first = request.messages.length === 1;
    const asking = (about: string) => ({ name: "ask", input: { about } });
    return first ? { tools: [asking("one"), asking("two")] } : { text: "Thanks." };
  }),
});

/** Boots a process without safety nets: it never sweeps, and leases neither expire nor are renewed. */
const boot = (): Runtime => runtime({ agents: [tester], store, times: { leaseTtlMs: 600_000, pollMs: 20 } });

const second = {
  answer: async (pawl: Runtime, sessionId: string, callId: string) => {
    const answers = [{ callId, value: "two" }];
    await pawl.run("tester", { ...user, sessionId, answers }).started;
  },
  stop: async (pawl: Runtime, sessionId: string) => await pawl.stop(sessionId, user),
  message: async (pawl: Runtime, sessionId: string) => {
    await pawl.run("tester", { ...user, sessionId, input: "Something else" }).started;
  },
};

it.each(["answer", "stop", "message"] as const)(
  `P1 P4 P6 L9 in ${RACES} races no %s that was accepted while a run suspends stays unhandled`,
  async (kind) => {
    const here = boot();
    const elsewhere = boot();
    const race = async (number: number): Promise<string> => {
      const { sessionId, pending } = await here.run("tester", { ...user, input: "Go" }).result;
      const [one, two] = pending.map(({ callId }) => callId);
      const answers = [{ callId: one ?? "", value: "one" }];
      const first = here.run("tester", { ...user, sessionId, answers }).started;
      await pause(Math.random() * 30, "the second request comes at a random moment");
      await second[kind](number % 3 === 0 ? elsewhere : here, sessionId, two ?? "");
      await first.catch(() => undefined);
      return sessionId;
    };
    const sessions: string[] = [];
    for (let done = 0; done < RACES; done += SIDE_BY_SIDE) {
      const numbers = Array.from({ length: SIDE_BY_SIDE }, (_, at) => done + at);
      sessions.push(...(await Promise.all(numbers.map(race))));
    }
    const open = async () => {
      const rows = await Promise.all(sessions.map((id) => store.sessions.get(id)));
      return rows.flatMap((row) => (row?.openRun == null ? [] : [row.id]));
    };
    await expect.poll(open, { timeout: 10_000, interval: 200 }).toEqual([]);
    soak.report(`${sessions.length} races of ${kind}: 0 unhandled`);
  },
  RACES * 1_000 + 60_000,
);
