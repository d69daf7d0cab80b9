import { runtime } from "@pawl/core";
import { localEngine } from "@pawl/core/store";
import { nodeSqlite, sqliteStore } from "@pawl/sqlite";
import { expect, it, onTestFinished } from "vitest";
import { gardener } from "../../server/fleet/agent.ts";
import { runLog } from "../../server/fleet/run-log.ts";
import { idOf } from "../../server/fleet/settings.ts";

const LEASE_MS = 5_000;

it("Q1 reads from the log who did each step, and calls no run lost whose worker has left it", async () => {
  const db = nodeSqlite(":memory:");
  const store = sqliteStore(db);
  const common = { agents: [gardener({ stepMs: 20 })], store, times: { leaseTtlMs: LEASE_MS } };
  const front = runtime({ ...common, concurrency: 0, engine: localEngine() });
  const worker = (name: string) => {
    const pawl = runtime({ ...common, testing: { newId: () => idOf(name) } });
    onTestFinished(() => pawl.drain({ timeoutMs: 0 }));
    return pawl;
  };
  onTestFinished(() => front.drain({ timeoutMs: 0 }));
  const read = runLog(db);
  expect(read()).toEqual([]);
  await front.run("gardener", { userId: "ada", input: "Please water the beds." }).started;
  const untouched = { number: 1, state: "waiting", worker: null, steps: [], lostBy: [] };
  expect(read()).toEqual([untouched]);

  const robin = worker("Robin");
  await robin.sweep();
  expect(read()).toEqual([{ ...untouched, state: "running", worker: "Robin" }]);
  await expect.poll(() => read()[0]?.steps.length, { interval: 5 }).toBeGreaterThan(1);
  await robin.drain();
  const [left] = read();
  expect(left).toEqual({ ...untouched, steps: left?.steps.map(() => "Robin") });

  await worker("Wren").sweep({ wait: true });
  const [done] = read();
  const rest = Array.from({ length: 6 - (left?.steps.length ?? 0) }, () => "Wren");
  expect(done).toEqual({ ...untouched, state: "done", steps: [...(left?.steps ?? []), ...rest] });
});
