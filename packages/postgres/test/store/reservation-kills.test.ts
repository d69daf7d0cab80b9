import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, expect, it } from "vitest";
import { bundled } from "../../../../test/support/bundled.ts";
import { NODE_FLAGS } from "../../../../test/support/node-flags.ts";
import { pause } from "../../../../test/support/pause.ts";
import { type TestDatabase, testDatabase } from "../../../../test/support/postgres.ts";
import { migrate, postgresReservations } from "../../src/index.ts";

const TTL_MS = 4_000;
const LIMIT = 100;
const account = "user-1/2026-11";
const file = await bundled(new URL("../support/holder.ts", import.meta.url).pathname);

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
  await migrate(database.pool({ max: 1 }));
}, 60_000);
afterAll(() => database.drop());

/** A process that reserves when it is told to, and holds what it is granted. */
async function holder(driver: string, requests: number) {
  const args = [...NODE_FLAGS, file, database.url, driver, account];
  const numbers = [requests, LIMIT, TTL_MS].map(String);
  const child = spawn(process.execPath, [...args, ...numbers], { stdio: ["pipe", "pipe", "inherit"] });
  const gone = once(child, "exit");
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  expect((await lines.next()).value).toBe("ready");
  return {
    reserve: async (): Promise<string[]> => {
      child.stdin.write("go\n");
      return JSON.parse((await lines.next()).value ?? "");
    },
    finish: async () => {
      child.stdin.write("end\n");
      expect((await gone)[0]).toBe(0);
    },
    kill: async () => {
      child.kill("SIGKILL");
      expect((await gone)[1]).toBe("SIGKILL");
    },
  };
}

it("E10 of 204 requests of six processes 100 are granted; what two of them held when they were killed is back after the expiry", async () => {
  const holders = await Promise.all(
    ["pg", "postgres", "pg", "postgres", "pg", "postgres"].map((driver) => holder(driver, 34)),
  );
  const granted = await Promise.all(holders.map(async (one) => ({ holder: one, ids: await one.reserve() })));
  expect(granted.flatMap(({ ids }) => ids)).toHaveLength(LIMIT);
  const reservations = postgresReservations(database.pool());
  expect(await reservations.balance(account)).toEqual({ used: 0, held: LIMIT });

  granted.sort((a, b) => b.ids.length - a.ids.length);
  const [first, second, ...alive] = granted;
  if (first === undefined || second === undefined) throw new Error("nobody holds anything");
  await Promise.all([first.holder.kill(), second.holder.kill()]);
  const lost = [...first.ids, ...second.ids];
  expect(lost.length).toBeGreaterThanOrEqual(LIMIT / 3);
  const left = LIMIT - lost.length;
  expect(await reservations.balance(account)).toEqual({ used: 0, held: LIMIT });

  // Nothing of those who are alive expires, however long that takes.
  const end = performance.now() + 2 * TTL_MS;
  while (performance.now() < end) {
    expect((await reservations.balance(account)).held).toBeGreaterThanOrEqual(left);
    await pause(200, "between two looks at what is held");
  }
  expect(await reservations.balance(account)).toEqual({ used: 0, held: left });
  const more = Array.from({ length: 200 }, () => crypto.randomUUID());
  const answers = await Promise.all(
    more.map((id) => reservations.reserve({ account, id, amount: 1, limit: LIMIT })),
  );
  expect(answers.filter((answer) => answer.granted)).toHaveLength(lost.length);

  await Promise.all(alive.map((one) => one.holder.finish()));
  expect(await reservations.balance(account)).toEqual({ used: left, held: lost.length });
  // A process that recovers a dead one's run still charges it, and the account exceeds its limit.
  const [id = ""] = lost;
  expect(await reservations.finalize(id, 5)).toMatchObject({ used: 5, state: "finalized" });
  const next = await reservations.reserve({ account, id: "next", amount: 0, limit: LIMIT });
  expect(next).toEqual({ granted: false, available: -5 });
}, 90_000);
