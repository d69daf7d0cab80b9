import { join } from "node:path";
import { agent, type EventStore, runtime } from "@pawl/core";
import { nodeSqlite, type SqliteDatabase, sqliteStore } from "@pawl/sqlite";
import { scriptedModel } from "@pawl/testing";
import { pause } from "../../support/pause.ts";
import { type Attack, brokenByAny, brokenIf } from "../frame/attack.ts";

export const attack: Attack = {
  id: "attacks-21",
  title: "After the clock is set back, the run of a process that died is locked until the old time",
  state: "held",
  guard: {
    file: "packages/testing/src/contract/store/times.ts",
    title: "a lease that was acquired while the clock was an hour ahead is free once the clock is set right",
  },
  attempt: ({ folder }) =>
    brokenByAny({
      "an hour": () => setBack(join(folder, "hour.db"), 3_600),
      "not at all": () => setBack(join(folder, "same.db"), 0),
    }),
};

/** The database, at a time that is `seconds` ahead. All statements read the clock by the same SQL. */
const ahead = (db: SqliteDatabase, seconds: number): SqliteDatabase => ({
  ...db,
  run: (sql, values) =>
    db.run(sql.replaceAll("unixepoch('subsec')", `(unixepoch('subsec') + ${seconds})`), values),
});

/** A process takes a lease of half a second while the clock is ahead, and dies. Another one finds the run. */
async function setBack(file: string, seconds: number): Promise<string> {
  const never = new Promise<never>(() => undefined);
  let isDead = false;
  const inner = sqliteStore(ahead(nodeSqlite(file), seconds));
  const dying: EventStore = {
    ...inner,
    append: (...args) => (isDead ? never : inner.append(...args)),
    renew: (...args) => (isDead ? never : inner.renew(...args)),
    release: (...args) => (isDead ? never : inner.release(...args)),
  };
  const boot = (store: EventStore, answer: Promise<never> | { text: string }) =>
    runtime({
      agents: [agent({ name: "a", instructions: "i", model: scriptedModel(async () => await answer) })],
      store,
      times: { leaseTtlMs: 500 },
      onError: () => undefined,
    });
  const run = boot(dying, never).run("a", { userId: "ada", input: "Go" });
  run.result.catch(() => undefined);
  const { sessionId } = await run.started;
  isDead = true;
  const store = sqliteStore(nodeSqlite(file));
  const next = boot(store, { text: "Done." });
  next.start();
  const begun = performance.now();
  for (;;) {
    const row = await store.sessions.get(sessionId);
    if (row?.openRun === null) break;
    const message = "no process recovers it in 6 s";
    if (performance.now() - begun > 6_000) return brokenIf(true, message);
    await pause(50, "between two looks, which may all find the run open");
  }
  await next.drain();
  return brokenIf(false, `recovered after ${Math.round(performance.now() - begun)} ms`);
}
