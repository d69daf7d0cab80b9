import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { PawlError } from "@pawl/core";
import { migrate, postgresStore } from "@pawl/postgres";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { appending, assertAllThere } from "../support/appending.ts";
import { bundled } from "../support/bundled.ts";
import { NODE_FLAGS } from "../support/node-flags.ts";
import { pause } from "../support/pause.ts";
import { type PostgresServer, postgresServer } from "../support/postgres-server.ts";
import { soak } from "../support/soak.ts";

const ROUNDS = soak(3, 50);
const appender = await bundled(new URL("../support/appender-process.ts", import.meta.url).pathname);

/** A server of its own, which the test kills. Its settings do not trade durability for speed. */
let server: PostgresServer;
let pool: pg.Pool;
beforeAll(async () => {
  server = await postgresServer();
  pool = new pg.Pool({ connectionString: server.url(), max: 8 });
  pool.on("error", () => undefined);
  await migrate(pool);
}, 60_000);
afterAll(async () => {
  await pool.end();
  await server.remove();
});

describe("kill -9 on a server in the middle of appends", () => {
  it(
    `E2 ${ROUNDS} kills of the database lose nothing acknowledged and store nothing twice`,
    async () => {
      const store = postgresStore(pool);
      for (const id of ["k1", "k2", "k3"]) await store.sessions.create({ id, userId: "u", agent: "a" });
      let over = false;
      let repeated = 0;
      const work = appending(store, 8, {
        where: (worker) => `k${1 + (worker % 3)}`,
        over: () => over,
        again: async (error) => {
          if (!PawlError.is(error, "store_unavailable")) throw error;
          repeated += 1;
          await pause(20, "the database is down for a while");
        },
      });
      for (let round = 0; round < ROUNDS; round += 1) {
        const before = (await pool.query("SELECT sum(last_sequence)::int AS n FROM agent_sessions")).rows[0]
          .n;
        await pause(200 + (round % 7) * 37, "the database is killed at some moment");
        await server.kill();
        await server.start();
        await expect
          .poll(
            async () =>
              (await pool.query("SELECT sum(last_sequence)::int AS n FROM agent_sessions")).rows[0].n,
          )
          .toBeGreaterThan(before);
      }
      over = true;
      const acknowledged = await work;
      await assertAllThere(pool, acknowledged);
      expect(repeated).toBeGreaterThan(0);
      soak.report(
        `${ROUNDS} kills of the database: ${acknowledged.length} events acknowledged, all there once and in order; ${repeated} appends repeated under their ids`,
      );
    },
    ROUNDS * 20_000 + 60_000,
  );

  it(
    `E2 ${ROUNDS} kills of the client: the next one repeats its last append, and every event is there once, in order`,
    async () => {
      await postgresStore(pool).sessions.create({ id: "client", userId: "u", agent: "a" });
      let next = 1;
      let lost = 0;
      for (let round = 0; round < ROUNDS; round += 1) {
        const stop = next + 20 + (round % 5) * 7;
        const args = [...NODE_FLAGS, appender, server.url(), "client", String(next)];
        const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
        const gone = once(child, "exit");
        for await (const line of createInterface({ input: child.stdout })) {
          const [n, seq] = line.split(" ").map(Number);
          expect([n, seq]).toEqual([next, next]);
          next += 1;
          if (next >= stop) child.kill("SIGKILL");
        }
        await gone;
        const stored = (await postgresStore(pool).sessions.get("client"))?.lastSeq ?? 0;
        expect([next - 1, next]).toContain(stored);
        if (stored === next) lost += 1;
      }
      const events = await Array.fromAsync(postgresStore(pool).read("client"));
      expect(events.map(({ seq, data }) => [seq, data])).toEqual(events.map((_, at) => [at + 1, at + 1]));
      soak.report(
        `${ROUNDS} kills of the client: ${next - 1} events acknowledged, ${lost} acknowledgements lost on the way`,
      );
    },
    ROUNDS * 20_000 + 60_000,
  );

  it("E2 an append whose acknowledgement is lost on the wire can be repeated under its id", async () => {
    let cut = false;
    const store = postgresStore({
      query: async (text, values) => {
        const result = await pool.query(text, values);
        if (!cut && text.includes("pawl_store_event")) {
          cut = true;
          throw new Error("connection reset");
        }
        return result;
      },
    });
    await store.sessions.create({ id: "lost", userId: "u", agent: "a" });
    const append = () => store.append("lost", [{ type: "a.b", data: 1, key: "k" }], { appendId: "1" });
    await expect(append()).rejects.toMatchObject({ code: "store_unavailable" });
    expect(await append()).toMatchObject([{ seq: 1 }]);
    expect((await store.sessions.get("lost"))?.lastSeq).toBe(1);
  });
});
