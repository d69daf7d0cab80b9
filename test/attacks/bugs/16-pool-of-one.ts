import { agent, runtime } from "@pawl/core";
import { migrate, postgresStore, postgresTail } from "@pawl/postgres";
import { scriptedModel } from "@pawl/testing";
import pg from "pg";
import { pause } from "../../support/pause.ts";
import { type Attack, brokenByAny } from "../frame/attack.ts";
import { mustHold } from "../parts/must-hold.ts";

const model = scriptedModel(() => ({ text: "Hello." }));
const helper = agent({ name: "helper", model, instructions: "You help." });

/** A run, a reader and another run, over one pool. */
async function talk(db: pg.Pool, onError: (error: unknown) => void): Promise<string> {
  await migrate(db);
  const tail = postgresTail(db, { onError });
  const pawl = runtime({ agents: [helper], store: postgresStore(db), tail, onError });
  const { sessionId } = await pawl.run(helper, { userId: "ada", input: "Hi" }).result;
  const reader = pawl.follow(sessionId, {})[Symbol.asyncIterator]();
  await reader.next();
  const { stop } = await pawl.run(helper, { userId: "ada", sessionId, input: "Again" }).result;
  return stop.type;
}

async function over(db: pg.Pool): Promise<string> {
  const reported = Promise.withResolvers<string>();
  const onError = (error: unknown) => reported.resolve(`reported: ${error}`);
  const silence = async () => {
    await pause(5_000, "for an answer that may never come");
    return "silence for 5 s";
  };
  const refused = (error: unknown) => `refused: ${error}`;
  const got = await Promise.race([talk(db, onError).catch(refused), reported.promise, silence()]);
  return mustHold(got === "end_turn" || (db.options.max === 1 && !got.startsWith("silence")), got);
}

export const attack: Attack = {
  id: "bugs-16",
  title:
    "A pool of one connection under postgresStore() and postgresTail() waits for ever, and nothing is said",
  state: "held",
  guard: {
    file: "packages/postgres/test/live/small-pools.test.ts",
    title: "B5 of one connection does not listen, says so at once, and runs go on",
  },
  attempt: async ({ database }) => {
    const { url } = await database();
    // Not a pool of the database's own, which would wait at the end until all connections are given back.
    const pool = (max: number) => new pg.Pool({ connectionString: url, max }).on("error", () => undefined);
    return await brokenByAny({
      "a pool of two": () => over(pool(2)),
      "a pool of one": () => over(pool(1)),
    });
  },
};
