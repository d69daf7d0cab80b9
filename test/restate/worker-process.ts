// A process that works for the engine over Restate: `node worker-process.ts <database> <ingress> <port>`. It
// prints a line for each session that it is given, and for each time that its lease was another one's.
import { PawlError, runtime } from "@pawl/core";
import { postgresStore } from "@pawl/postgres";
import { restateEngine } from "@pawl/restate";
import pg from "pg";
import { wanderer } from "./wanderer.ts";

process.stdin.on("end", () => process.exit()).resume();

const [connectionString = "", ingress = "", port = ""] = process.argv.slice(2);
const pool = new pg.Pool({ connectionString });
const store = postgresStore(pool);
const engine = restateEngine({ ingress, port: Number(port), onError: () => undefined });

/** Tells of calls that were refused. */
function watched<Given extends unknown[], Result>(call: (...given: Given) => Promise<Result>) {
  return async (...given: Given): Promise<Result> => {
    try {
      return await call(...given);
    } catch (error) {
      if (PawlError.is(error, "fenced")) console.log("fenced");
      throw error;
    }
  };
}

const pawl = runtime({
  agents: [wanderer],
  store: { ...store, append: watched(store.append), renew: watched(store.renew) },
  concurrency: 10,
  leaseTtlMs: 2_000,
  onError: () => undefined,
  engine: {
    ...engine,
    work: async (handler, options) => {
      const given: typeof handler = async (woken) => {
        console.log(`given ${woken.sessionId}`);
        await handler(woken);
      };
      const worker = await engine.work(given, options);
      console.log("ready");
      return worker;
    },
  },
});
pawl.start();
