import { type EventStore, memoryStore, runtime } from "@pawl/core";
import { type Attack, brokenIf } from "../frame/attack.ts";
import { answeringAgent, storeOpenRuns } from "../parts/open-runs.ts";

const RUNS = 1_000;

export const attack: Attack = {
  id: "attacks-24",
  title: "A sweep lists all runs again for each page of them while they wait for places",
  state: "held",
  guard: {
    file: "packages/core/test/runtime/sweep-pages.test.ts",
    title: "runs that wait reads each row about once",
  },
  async attempt() {
    const inner = memoryStore();
    await storeOpenRuns(inner, RUNS);
    let rows = 0;
    const store: EventStore = {
      ...inner,
      listRecoverable: async (options) => {
        const found = await inner.listRecoverable(options);
        rows += found.length;
        return found;
      },
    };
    const stays = answeringAgent(() => new Promise(() => undefined));
    const pawl = runtime({ agents: [stays], store, concurrency: 10, times: { leaseTtlMs: 600_000 } });
    await pawl.sweep();
    if (rows < RUNS) throw new Error(`A sweep listed only ${rows} rows.`);
    return brokenIf(rows > 3 * RUNS, `${rows} rows for ${RUNS} runs`);
  },
};
