// A process that works for the engine of pg-boss: `node engine-worker.ts <database> <port>`. It prints a line
// for each session that the engine gives it.
import { runtime } from "@pawl/core";
import { pgBossEngine } from "@pawl/pg-boss";
import { postgresStore } from "@pawl/postgres";
import pg from "pg";
import { walker } from "./walker.ts";

process.stdin.on("end", () => process.exit()).resume();

const [connectionString = ""] = process.argv.slice(2);
const pool = new pg.Pool({ connectionString });
const engine = pgBossEngine({ connectionString });
const pawl = runtime({
  agents: [walker],
  store: postgresStore(pool),
  concurrency: 6,
  engine: {
    ...engine,
    work: async (handler, options) => {
      const watched: typeof handler = async (woken) => {
        console.log(woken.sessionId);
        await handler(woken);
      };
      const worker = await engine.work(watched, options);
      console.log("ready");
      return worker;
    },
  },
});
pawl.start();
