import * as knowledge from "@pawl/knowledge";
import { loadSkills } from "@pawl/knowledge/disk";
import { scriptedModel } from "@pawl/testing";
import { expect, it } from "vitest";
import { said } from "../../../test/support/mistakes.ts";

// biome-ignore lint/suspicious/noExplicitAny: what plain JavaScript passes has no types
const js = { ...knowledge, loadSkills } as any;
const model = scriptedModel([]);

it("U6 what JavaScript may pass is refused", async () => {
  expect(
    await said(
      () => js.dataSource(),
      () => js.dataSource({ name: "goals", description: "The goals." }),
      () => js.dataSource({ name: "goals", description: "The goals.", execute: () => "" }),
      () => js.initializer({ sources: [] }),
      () => js.initializer({ model: "claude", sources: [] }),
      () => js.initializer({ model, sources: {} }),
      () => js.initializer({ model, sources: [], prompt: "Choose." }),
      () => js.unifiedContext(),
      () => js.unifiedContext([]),
      () => js.unifiedContext({ sections: [{ name: "goals", fetch: () => "" }] }),
      () => js.unifiedContext({ sections: [{ tag: "goals", text: "a" }] }),
      () => js.skillHook({ skills: "./skills" }),
      () => js.skillHook({ skills: [], directory: "./skills" }),
      () => js.skillTool({ skills: [] }),
      () => js.skillTool([], { title: "a" }),
      () => js.parseSkill({ text: "" }),
      () => js.loadSkills(),
      () => js.loadSkills("./skills", ["t"]),
      () => js.fetchSources([], []),
      () => js.fetchSources([], [], { user: "ada" }),
    ),
  ).toMatchInlineSnapshot(`
    [
      "config: dataSource() takes an object of options with \`name\`, \`description\` and \`fetch\`; got undefined.",
      "config: dataSource() needs \`fetch\`, a function.",
      "config: dataSource() has no option "execute". Use \`fetch\`. dataSource() needs \`fetch\`, a function.",
      "config: initializer() needs \`model\`, a ModelClient, e.g. claude("claude-sonnet-5-5").",
      "config: \`model\` of initializer() must be a ModelClient, e.g. claude("claude-sonnet-5-5"); got a string.",
      "config: \`sources\` of initializer() must be a list; got an object.",
      "config: initializer() has no option "prompt". Use \`guidance\`.",
      "config: unifiedContext() takes an object of options with \`sections\`; got undefined.",
      "config: unifiedContext() takes an object of options with \`sections\`; got a list.",
      "config: A section of unifiedContext() has no option "name". Use \`tag\`. A section of unifiedContext() needs \`tag\`, a string.",
      "config: A section of unifiedContext() has no option "text". A section of unifiedContext() needs \`fetch\`, a function. The options of A section of unifiedContext() are tag, fetch, maxChars, timeoutMs.",
      "config: \`skills\` of skillHook() must be a list; got a string.",
      "config: skillHook() has no option "directory". The options of skillHook() are skills, signals, atMost, timeoutMs, name, clock, onError.",
      "config: \`skills\` of skillTool() must be a list; got an object.",
      "config: skillTool() has no option "title". The options of skillTool() are name.",
      "config: \`text\` of parseSkill() must be a string; got an object. parseSkill() needs \`name\`, a string.",
      "config: loadSkills() needs \`directory\`, a string.",
      "config: loadSkills() takes an object of options; got a list.",
      "config: fetchSources() takes an object of options with \`userId\`; got undefined.",
      "config: fetchSources() has no option "user". fetchSources() needs \`userId\`, a string. The options of fetchSources() are userId, deps, signal, timeoutMs, clock.",
    ]
  `);
});
