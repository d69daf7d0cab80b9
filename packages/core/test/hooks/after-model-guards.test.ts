import { expect, it } from "vitest";
import { settled } from "../../../../test/support/settled.ts";
import type { Hook } from "../../src/index.ts";
import { setup, user } from "../support/setup.ts";

const withheld: Hook["afterModel"] = async () => {
  await settled();
  return { content: [{ type: "text", text: "[withheld]" }] };
};

it.each([
  { guards: true, before: "" },
  { guards: false, before: "My number is 650." },
])("F15 H3 text is held back from readers if afterModel guards ($guards)", async ({ guards, before }) => {
  let shown = "";
  const hook: Hook = {
    name: "check",
    guards,
    afterModel: async (...args) => {
      await settled();
      atJudgement = shown;
      return await withheld?.(...args);
    },
  };
  let atJudgement: string | undefined;
  const world = setup([{ text: "My number is 650." }], { hooks: [hook] });
  const run = world.pawl.run("tester", { ...user, input: "Hi" });
  for await (const piece of run.textStream) shown += piece;
  expect(atJudgement).toBe(before);
  expect((await run.result).text).toBe("[withheld]");
  if (guards) expect(shown).toBe("[withheld]");
});
