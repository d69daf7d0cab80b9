import { memoryStore } from "@pawl/core";
import * as kills from "@pawl/testing/kills";
import { expect, it } from "vitest";
import { said } from "../../../../test/support/mistakes.ts";

// biome-ignore lint/suspicious/noExplicitAny: what plain JavaScript passes has no types
const { killedWorker, killWorkers } = kills as any;

it("U6 killWorkers() and killedWorker() name what is missing or unknown", async () => {
  const fleet = { store: memoryStore(), startWorker: () => undefined };
  expect(
    await said(
      () => killWorkers(),
      () => killWorkers({ ...fleet, ttl: 1 }),
      () => killWorkers(fleet, { run: 3 }),
      () => killWorkers(fleet, { runs: 0 }),
      () => killWorkers({ ...fleet, leaseTtlMs: Number.NaN }),
      () => killedWorker(),
    ),
  ).toMatchInlineSnapshot(`
    [
      "config: killWorkers() takes an object of options with \`store\` and \`startWorker\`; got undefined.",
      "config: killWorkers() has no option "ttl". The options of killWorkers() are store, engine, startWorker, leaseTtlMs.",
      "config: the second argument of killWorkers() has no option "run". Did you mean \`runs\`?",
      "config: \`runs\` of the second argument of killWorkers() must be a whole number from 1; not 0.",
      "config: \`leaseTtlMs\` of killWorkers() must be a whole number from 1; not NaN.",
      "config: killedWorker() needs the environment variable PAWL_KILLS_DESK: pass the \`env\` that \`startWorker\` gets to the worker's process.",
    ]
  `);
});
