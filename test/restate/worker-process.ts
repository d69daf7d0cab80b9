// A process that works for the engine over Restate: `node worker-process.ts <database> <ingress> <port>`. It
// prints `ready` once it works.
import { runtime } from "@pawl/core";
import { postgresStore } from "@pawl/postgres";
import { restateEngine } from "@pawl/restate";
import pg from "pg";
import { walker } from "../support/walker.ts";

process.stdin.on("end", () => process.exit()).resume();

const [connectionString = "", ingress = "", port = ""] = process.argv.slice(2);
const pool = new pg.Pool({ connectionString });
const engine = restateEngine({ ingress, port: Number(port), onError: () => undefined });

const pawl = runtime({
  agents: [walker],
  store: postgresStore(pool),
  concurrency: 10,
  times: { leaseTtlMs: 2_000 },
  onError: () => undefined,
  engine: {
    ...engine,
    work: async (handler, options) => {
      const worker = await engine.work(handler, options);
      console.log("ready");
      return worker;
    },
  },
});
pawl.start();
