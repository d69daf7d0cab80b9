import type { StoredEvent } from "@pawl/core";
import { newView, reduceView } from "@pawl/core/view";
import { migrate, postgresStore } from "@pawl/postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CuttingProxy, cuttingProxy } from "../support/cutting-proxy.ts";
import { assertSoundLog, ofType } from "../support/invariants.ts";
import { pause } from "../support/pause.ts";
import { type TestDatabase, testDatabase } from "../support/postgres.ts";
import { type ServerProcess, serverProcess } from "../support/server-process.ts";
import { soak } from "../support/soak.ts";
import { type Witness, witness } from "../support/witness.ts";

const RUNS = soak(5, 500);
const AT_ONCE = 10;
const CLIENTS = 4;

let database: TestDatabase;
let servers: ServerProcess[];
let proxy: CuttingProxy;
/** The clients of runs that are not over. */
const open = new Set<Witness>();
/** How many events the clients of the other runs have received. */
let receivedBefore = 0;

beforeAll(async () => {
  database = await testDatabase();
  await migrate(database.pool());
  servers = await Promise.all([1, 2].map(() => serverProcess("./resume-server.ts", [database.url])));
  await Promise.all(servers.map((server) => server.start()));
  proxy = await cuttingProxy(
    servers.map(({ port }) => port),
    {
      random: Math.random,
      bytesOf,
    },
  );
}, 60_000);
afterAll(async () => {
  await proxy.close();
  await Promise.all(servers.map((server) => server.kill()));
  await database.drop();
});

/**
 * Returns after how many bytes of the answer a connection is cut. 2 % of the connections get no answer, 23 %
 * are not cut, and the others are cut within 10 kB.
 */
function bytesOf(): number {
  const chance = Math.random();
  if (chance < 0.02) return 0;
  return chance < 0.25 ? Number.POSITIVE_INFINITY : Math.ceil(Math.random() ** 2 * 10_000);
}

/**
 * Has one run with several readers, some of which join late. Resolves when all of them have received its end.
 */
async function oneRun(
  sessionId: string,
  begun: () => void,
): Promise<{ log: StoredEvent[]; witnesses: Witness[] }> {
  const store = postgresStore(database.pool({ max: 2 }));
  await store.sessions.create({ id: sessionId, userId: "u", agent: "teller" });
  const join = () => {
    const one = witness(proxy.url, sessionId);
    open.add(one);
    return one;
  };
  const first = join();
  const witnesses = [first];
  const sending = (async () => {
    while (first.client.getState().run === undefined) {
      await first.client.send("Go");
      await pause(50, "between two attempts");
    }
  })();
  for (let n = 1; n < CLIENTS; n += 1) {
    await pause(Math.random() * 400, "clients join at random moments");
    witnesses.push(join());
  }
  await sending;
  begun();
  const log = await ended(store, sessionId);
  for (const { client, faults, trace } of witnesses) {
    const isThere = () => faults.length > 0 || client.getState().cursor === log.length;
    for (let tries = 0; !isThere(); tries += 1) {
      if (tries === 1_500) throw new Error(`A client stays behind:\n${trace.slice(-40).join("\n")}`);
      await pause(20, "between two looks at the client");
    }
  }
  return { log, witnesses };
}

/** Returns how many events all clients have received. */
const received = (): number =>
  [...open].reduce((sum, { client }) => sum + client.getState().cursor, receivedBefore);

async function ended(store: ReturnType<typeof postgresStore>, sessionId: string): Promise<StoredEvent[]> {
  for (let tries = 0; tries < 1_500; tries += 1) {
    const session = await store.sessions.get(sessionId);
    if (session?.openRun === null && session.lastSeq > 0) return await Array.fromAsync(store.read(sessionId));
    await pause(20, "between two looks at the session");
  }
  throw new Error(`The run of ${sessionId} does not end.`);
}

describe("readers of two processes, over connections that break, while processes die", () => {
  it(
    `W4 E2 ${RUNS} runs or more, ${CLIENTS} clients each: every state is the log's, with no gap and no repetition`,
    async () => {
      const sums = { kills: 0, recovered: 0, events: 0, streams: 0, exact: 0, restarts: 0 };
      let over = false;
      let begunRuns = 0;
      const several = Promise.withResolvers<void>();
      const begun = () => {
        begunRuns += 1;
        if (begunRuns === 4) several.resolve();
      };
      const killing = (async () => {
        for (let n = 0; !over; n += 1) {
          // The first one comes while several runs are open, so that there is something to recover.
          if (n === 0) await several.promise;
          else await pause(700 + Math.random() * 1_200, "servers are killed at random moments");
          const server = servers[n % 2];
          if (over || server === undefined) return;
          await server.kill();
          sums.kills += 1;
          await pause(Math.random() * 300, "a server is down for a random time");
          const before = received();
          await server.start();
          // On a busy machine it may be long until a client gets something again.
          while (!over && received() === before) await pause(20, "between two looks at the clients");
        }
      })();
      let next = 0;
      // A few runs may all miss a recovery, or a stream that goes on within an answer. Then there are more.
      const areSeen = () => sums.recovered > 0 && sums.exact > 0 && proxy.counts.cuts > next;
      const work = async () => {
        while (next < RUNS || (!areSeen() && next < RUNS + 40)) {
          next += 1;
          const { log, witnesses } = await oneRun(`run ${next}`, begun);
          assertSoundLog(log);
          const view = log.reduce(reduceView, newView());
          for (const one of witnesses) {
            one.check(log, view);
            one.client.close();
            open.delete(one);
            receivedBefore += log.length;
            sums.streams += one.counts.streams;
            sums.exact += one.counts.exact;
            sums.restarts += one.counts.restarts;
          }
          sums.events += log.length;
          sums.recovered += ofType(log, "run_recovered").length;
        }
      };
      try {
        await Promise.all(Array.from({ length: Math.min(AT_ONCE, RUNS) }, work));
      } finally {
        over = true;
        several.resolve();
        await killing;
      }
      const { connections, cuts, deaf } = proxy.counts;
      expect(cuts).toBeGreaterThan(next);
      expect(sums.recovered).toBeGreaterThan(0);
      expect(sums.exact).toBeGreaterThan(0);
      soak.report(
        `${next} runs with ${CLIENTS} clients each: ${connections} connections, ${cuts} cut at a random byte, ${deaf} half-open, ${sums.kills} kills of a server, ${sums.recovered} recoveries, ${sums.restarts} restarts seen; ${sums.events} events; ${sums.streams} streams resumed, ${sums.exact} in the middle of an answer, each at the character`,
      );
    },
    RUNS * 4_000 + 60_000,
  );
});
