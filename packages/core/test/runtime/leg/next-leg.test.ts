import { testClock } from "@pawl/testing";
import { expect, it } from "vitest";
import * as z from "zod";
import { memoryStore, tool } from "../../../src/index.ts";
import { type Engine, localEngine } from "../../../src/store.ts";
import { named } from "../../support/hooks.ts";
import { setup, user } from "../../support/setup.ts";

it("L3 the next run's leg works once the leg before it has ended", async () => {
  const order: string[] = [];
  const gate = Promise.withResolvers<void>();
  const wait = named("wait", {
    afterTurn: async (_turn, { signal }) => {
      signal.addEventListener("abort", () => order.push("ended"));
      await gate.promise;
    },
  });
  const world = setup(
    [{ text: "One." }, { text: "Two." }],
    { whenBusy: "queue", hooks: [wait], limits: { turns: 1 } },
    { deps: () => void order.push("deps") },
  );
  const first = world.pawl.run("tester", { ...user, input: "One" });
  const { sessionId } = await first.started;
  const next = world.pawl.run("tester", { ...user, sessionId, input: "Two" });
  await next.started;
  gate.resolve();
  await Promise.all([first.result, next.result]);
  expect(order).toEqual(["deps", "ended", "deps", "ended"]);
});

it("L7 the runtime's onError learns of an internal error before the hooks do", async () => {
  const order: string[] = [];
  const hooks = [named("watch", { onError: () => void order.push("hook") })];
  const fails = () => {
    throw new Error("The condition failed.");
  };
  const world = setup(
    [{ text: "One." }],
    { hooks, stopWhen: [fails] },
    { onError: () => order.push("onError") },
  );
  await world.say("Go");
  expect(order).toEqual(["onError", "hook"]);
});

it("Q1 a run whose engine throws when it is to be woken later rejects, and nothing is unhandled", async () => {
  const clock = testClock();
  const engine = localEngine({ clock });
  const wake: Engine["wake"] = (id, options) => {
    if ((options?.afterMs ?? 0) > 1_000) throw new Error("The engine has failed.");
    return engine.wake(id, options);
  };
  const asks = tool({
    name: "asks",
    description: "Asks.",
    input: z.object({}),
    suspends: { answer: z.string(), expires: { afterMs: 100_000, default: "no" } },
  });
  const store = memoryStore({ now: clock.now });
  const options = { store, testing: { clock }, engine: { ...engine, wake }, concurrency: 1 };
  const world = setup([{ tools: [{ name: "asks", input: {} }] }], { tools: [asks] }, options);
  world.pawl.start();
  const { result } = world.pawl.run("tester", { ...user, input: "Go" });
  await expect(result).rejects.toThrow("The engine has failed.");
});
