import { expect, it } from "vitest";
import { jsonSchema, tool } from "../../src/index.ts";
import { setup, stored, user } from "../support/setup.ts";

const look = { tools: [{ name: "look", input: {} }] };

/** Runs a message, queues another one meanwhile, and returns what the tool saw in each run. */
async function two(first: object, second: object) {
  const seen: unknown[] = [];
  const gate = Promise.withResolvers<void>();
  const slow = tool({
    name: "look",
    description: "Looks.",
    input: jsonSchema({ type: "object" }),
    execute: async (_input, { caller, credentials }) => {
      seen.push([caller, credentials]);
      await gate.promise;
    },
  });
  const world = setup([look, look], { tools: [slow], whenBusy: "queue", limits: { turns: 1 } });
  const one = world.pawl.run("tester", { ...user, input: "Go", ...first });
  const { sessionId } = await one.started;
  await stored(world, sessionId, "tool_started");
  const other = world.pawl.run("tester", { ...user, sessionId, input: "And?", ...second });
  await other.started;
  gate.resolve();
  const { stop } = await other.result;
  return { seen, stop: stop.type, log: JSON.stringify(await world.log(sessionId)) };
}

it("F17 a queued message's run has the credentials of that message, and not those of the run before", async () => {
  const { seen } = await two(
    { caller: { n: 1 }, credentials: { token: "admin" } },
    { caller: { n: 2 }, credentials: { token: "viewer" } },
  );
  expect(seen).toEqual([
    [{ n: 1 }, { token: "admin" }],
    [{ n: 2 }, { token: "viewer" }],
  ]);
});

it("F17 a queued message without credentials gets none", async () => {
  const { seen } = await two({ caller: { n: 1 }, credentials: { token: "admin" } }, { caller: { n: 2 } });
  expect(seen[1]).toEqual([{ n: 2 }, undefined]);
});

it("F17 a queued message brings credentials to a session that had none", async () => {
  const { seen, stop } = await two({}, { credentials: { token: "viewer" } });
  expect({ second: seen[1], stop }).toEqual({ second: [{}, { token: "viewer" }], stop: "turn_limit" });
});
