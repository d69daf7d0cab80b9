import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { runtime } from "@pawl/core";
import { nodeSqlite, sqliteStore } from "@pawl/sqlite";
import { until } from "../../support/until.ts";
import { type Attack, brokenIf } from "../frame/attack.ts";
import { answeringAgent, storeOpenRuns } from "../parts/open-runs.ts";

const RUNS = 200;

export const attack: Attack = {
  id: "attacks-20",
  title: "Over SQLite, a process with many open runs does nothing else until it has continued all of them",
  state: "held",
  guard: {
    file: "packages/core/test/runtime/sweep-turns.test.ts",
    title: "a sweep gives way to other work while it begins many runs",
  },
  async attempt({ folder }) {
    const db = new DatabaseSync(join(folder, "log.db"), { timeout: 5_000 });
    db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF");
    const store = sqliteStore(nodeSqlite(db));
    await storeOpenRuns(store, RUNS);
    let turn = 0;
    const begunIn = new Map<number, number>();
    const timer = setInterval(() => {
      turn += 1;
    }, 1);
    let begun = 0;
    const due = answeringAgent(() => {
      begun += 1;
      begunIn.set(turn, (begunIn.get(turn) ?? 0) + 1);
    });
    const pawl = runtime({ agents: [due], store, onError: () => undefined });
    pawl.start();
    await until(() => begun === RUNS);
    clearInterval(timer);
    const most = Math.max(...begunIn.values());
    return brokenIf(most > RUNS / 4, `${most} of ${RUNS} runs between two timers`);
  },
};
