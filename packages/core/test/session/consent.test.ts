import { expect, it } from "vitest";
import { consentChanges } from "../../src/log/consent.ts";

const tool = { description: "d", input_schema: "i", annotations: "a", server: "s" };
const shown = { input: { path: "/a" }, tool };

it.each([
  ["the same", shown, []],
  ["other fields in another order", { input: { path: "/a" }, tool: { ...tool } }, []],
  ["a new field of the input", { input: { path: "/a", wipe: true }, tool }, ["input"]],
  ["another description", { ...shown, tool: { ...tool, description: "x" } }, ["description"]],
  ["another schema", { ...shown, tool: { ...tool, input_schema: "x" } }, ["input_schema"]],
  ["other annotations", { ...shown, tool: { ...tool, annotations: "x" } }, ["annotations"]],
  ["another server", { ...shown, tool: { ...tool, server: "x" } }, ["server"]],
  [
    "a tool of the application in its place",
    { input: shown.input },
    ["description", "input_schema", "annotations", "server"],
  ],
] as const)("B9 what is about to run is compared with what was shown: %s", (_, now, changes) => {
  expect(consentChanges(shown, now)).toEqual(changes);
});
