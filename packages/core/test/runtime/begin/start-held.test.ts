import { testClock } from "@pawl/testing";
import { expect, it } from "vitest";
import { type Hook, memoryStore } from "../../../src/index.ts";
import { setup, stored, user } from "../../support/setup.ts";
import { gate } from "../../support/when-busy.ts";

const DAY = 86_400_000;

it.each([
  ["of a new session", []],
  ["a day after the one before it", ["Before."]],
])("L4 R2 the time of a run %s begins with it, although its start is stored later", async (_, earlier) => {
  const clock = testClock();
  const store = memoryStore({ now: clock.now });
  const left: number[] = [];
  const watch: Hook = {
    name: "watch",
    afterTurn: (_turn, context) => void left.push(context.remaining().wallClockMs),
  };
  const { work, open } = gate();
  const script = [
    ...earlier.map((text) => ({ text })),
    { tools: [{ name: "work", input: {} }] },
    { text: "Two." },
  ];
  const world = setup(
    script,
    {
      tools: [work],
      hooks: [watch],
      whenBusy: "queue",
      limits: { turns: 1 },
      sessionLimits: { wallClockMs: 60_000 },
    },
    { store, testing: { clock } },
  );
  const { id: sessionId } = await store.sessions.create({ id: "s", userId: "u1", agent: "tester" });
  for (const input of earlier) {
    await world.say(input, { sessionId });
    await clock.advance(DAY);
  }
  const first = world.pawl.run("tester", { ...user, sessionId, input: "First" });
  await first.started;
  // While nothing is held, so that the leg need not fold its log again.
  await stored(world, sessionId, "tool_started");
  // It starts the next run in the same leg, which sees the session's time as that leg has counted it.
  const next = world.pawl.run("tester", { ...user, sessionId, input: "Second" });
  await next.started;
  open();
  expect((await first.result).stop.type).toBe("turn_limit");
  expect({ stop: (await next.result).stop.type, left: left.at(-1) }).toEqual({
    stop: "end_turn",
    left: 60_000,
  });
});
