import { beforeEach, expect, it } from "vitest";
import type { Hook } from "../../../src/index.ts";
import { allowFailedHooks } from "../../support/hooks.ts";
import { setup } from "../../support/setup.ts";

beforeEach(allowFailedHooks);

it.each<[string, object]>([
  ["an event without data", { type: "my.plan", payload: { steps: 2 } }],
  ["a set", { type: "my.plan", data: { steps: new Set([1]) } }],
  ["knowledge that is no text", { type: "knowledge", data: { source: "s", data: { a: 1 } } }],
  ["a note without words", { type: "note", data: {} }],
  ["a last turn", { type: "note", data: { text: "x", landing: { type: "a", message: "b" } } }],
  ["a result", { type: "tool_result", data: { call_id: "c" } }],
  ["an artifact without a summary", { type: "artifact", data: { artifact_id: "a", summary: null } }],
])("H1 C7 refuses %s that a hook wants to store", async (_title, event) => {
  const hook: Hook = {
    name: "adds",
    afterTurn: async (_turn, { append }) => {
      await append(event as never);
      return undefined;
    },
  };
  const world = setup([{ text: "Ok." }, { text: "Fine." }], { hooks: [hook] });
  const { sessionId } = await world.say("Go");
  expect((await world.of(sessionId, "error")).map(({ data }) => data.code)).toEqual(["hook_failed"]);
  expect((await world.say("And?", { sessionId })).text).toBe("Fine.");
  expect(world.model.rejected).toEqual([]);
});
