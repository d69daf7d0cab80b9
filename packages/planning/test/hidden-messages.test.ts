import { guardrail } from "@pawl/core";
import { expect, it } from "vitest";
import { plans, worldOf } from "./support/world.ts";

it("F34 the planner's model does not read a message that a hook has hidden", async () => {
  const guard = guardrail({
    input: ({ text }) => (text.includes("evil") ? { block: "No." } : undefined),
  });
  const world = worldOf(
    { small: [plans(), plans()], main: [{ text: "Ok." }] },
    {},
    { agent: { hooks: [guard] } },
  );
  const { sessionId, stop } = await world.say("An evil thing");
  expect(stop.type).toBe("blocked");
  await world.say("A good thing", { sessionId });
  const asked = JSON.stringify(world.small.requests.at(-1));
  expect(asked).toContain("A good thing");
  expect(asked).not.toContain("evil");
  const { messages } = await world.record(sessionId);
  expect(messages.map(({ text }) => text)).toEqual(["A good thing"]);
});
