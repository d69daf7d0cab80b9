import { expect, it } from "vitest";
import { jsonSchema, type RunContext } from "../../../src/index.ts";
import { named } from "../../support/hooks.ts";
import { setup } from "../../support/setup.ts";

it("F20 takes one of two answers that come at once, and the hook gets that one", async () => {
  const ask = { kind: "depth", payload: {}, answer: jsonSchema<string>({ type: "string" }) };
  const given: unknown[] = [];
  const hook = named("clarify", {
    beforeRun: ({ answer }: RunContext) => {
      given.push(answer);
      return answer === undefined ? { ask } : undefined;
    },
  });
  const world = setup([{ text: "Done." }], { hooks: [hook] });
  const { sessionId, pending } = await world.say("Go");
  const { callId = "" } = pending[0] ?? {};
  const sent = ["deep", "quick"].map((value) => world.answer(sessionId, callId, value));
  const outcomes = await Promise.allSettled(sent);
  expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  expect(outcomes.find(({ status }) => status === "rejected")).toMatchObject({
    reason: { code: "already_answered" },
  });
  const [stored, ...others] = await world.of(sessionId, "tool_answered");
  expect([others, given]).toEqual([[], [undefined, stored?.data.value]]);
  expect(world.model.requests).toHaveLength(1);
});
