import { expect, it } from "vitest";
import * as z from "zod";
import { type EventStore, memoryStore, PawlError, tool } from "../../../src/index.ts";
import { setup, stored, until } from "../../support/setup.ts";

/** A tool whose effect has happened once its call is aborted. */
const careful = tool({
  name: "careful",
  description: "",
  input: z.object({}),
  execute: (_, { signal }) =>
    new Promise<string>((resolve) => signal.addEventListener("abort", () => resolve("sent"))),
});

const begin = async (store: EventStore, more = {}) => {
  const script = [{ tools: [{ name: "careful" }] }, { text: "Done." }];
  const world = setup(script, { tools: [careful] }, { store, ...more });
  const run = world.pawl.run("tester", { userId: "u1", input: "Go" });
  run.result.catch(() => undefined);
  const { sessionId } = await run.started;
  await stored(world, sessionId, "tool_started");
  const seen = async () =>
    (await world.log(sessionId))
      .filter(({ type }) => type === "tool_result" || type === "error" || type === "run_left")
      .map(({ type, data }) => (type === "error" ? (data as { code: string }).code : type));
  return { ...world, run, sessionId, seen };
};

it("R2 L9 a result that a tool gives when the process drains is stored, and not reported as late", async () => {
  const { pawl, seen } = await begin(memoryStore());
  await pawl.drain({ timeoutMs: 10 });
  expect(await seen()).toEqual(["tool_result", "run_left"]);
});

it("R2 L3 a result that a tool gives after a failed renewal is stored while the lease still holds", async () => {
  const inner = memoryStore();
  let fails = true;
  const store: EventStore = {
    ...inner,
    renew: async (lease, ttlMs) => {
      if (!fails) return await inner.renew(lease, ttlMs);
      fails = false;
      throw new PawlError("store_unavailable", "A connection broke.");
    },
  };
  const { seen } = await begin(store, { times: { leaseTtlMs: 600 } });
  await until(async () => (await seen()).length > 0);
  expect(await seen()).toEqual(["tool_result"]);
});
