import { expect, test } from "vitest";
import { withHouseTable } from "../scripts/lib/house.mjs";

const core = "packages/core/src/";
const files = new Map([
  [`${core}index.ts`, 'export { runLoop } from "./loop/loop.ts";\n'],
  [
    `${core}loop/loop.ts`,
    'import { a } from "./turn/a.ts";\n// Not code.\nexport const runLoop = () => a;\n',
  ],
  [`${core}loop/turn/a.ts`, "export const a = 1;\nexport const b = 2;\n"],
  [`${core}hooks/hook.ts`, "export interface Hook {}\n"],
  [`${core}tools/tool-options.ts`, "export interface ToolOptions {\n  name: string;\n  input: string;\n}\n"],
  [`${core}agent/agent.ts`, "export interface AgentOptions {\n  model: string;\n}\n"],
  [
    `${core}runtime/begin/runtime-types.ts`,
    "export interface RuntimeSettings {\n  store: string;\n  times?: {\n    pollMs?: number;\n  };\n}\n",
  ],
  [`${core}runtime/begin/run-options.ts`, "export interface RunOptions {\n  input: string;\n}\n"],
  [
    "packages/sse/src/handler/handler-options.ts",
    "export interface HandlerOptions {\n  runtime: string;\n  agent: string;\n}\n",
  ],
]);
const page = `# Rooms

<!-- \`npm run house\` writes this table from the sources. -->
| old |
<!-- end of the table -->

More words.
`;

/** Returns the last cell of each row, by the row's first. */
function valuesOf(text: string): Record<string, string> {
  const rows = text.split("\n").filter((line) => /^\| [a-z]/.test(line));
  return Object.fromEntries(
    rows.map((row) => {
      const cells = row.split("|").map((cell) => cell.trim());
      return [cells[1], cells.at(-2)];
    }),
  );
}

test("the table of the house has what the sources have now", () => {
  const written = withHouseTable(page, files);
  expect(valuesOf(written)).toEqual({
    "files at core's root, all of them doors": "1",
    "largest circle of imports, types included": "none",
    "imports that go up in the order of the rooms": "0",
    "files that can be reached from the loop": "2",
    "their lines of code": "4",
    "files that can be reached from the type `Hook`": "1",
    "files that can be reached from the type `Tool`": "1",
    "files of core": "8",
    "of them with less than 15 lines of code, and no reason for it": "2",
    "of them that a single other file imports, which is no door": "1",
    "lines of code of core, without comments": "22",
    "names in the main door": "1",
    "names in `/store`, `/model`, `/tools`, `/view`, `/inspect`, `/disk`, `/zod3`": "0, 0, 0, 0, 0, 0, 0",
    "options of `agent`, `tool`, `runtime`, `run` and `handler`, those in groups too": "8",
  });
  expect(written).toContain("More words.");
  expect(withHouseTable(written, files)).toBe(written);
});

test("the table says how large a circle of imports is", () => {
  const circle = new Map(files).set(`${core}loop/turn/a.ts`, 'import type { runLoop } from "../loop.ts";\n');
  expect(valuesOf(withHouseTable(page, circle))).toMatchObject({
    "largest circle of imports, types included": "2 files",
    "imports that go up in the order of the rooms": "1",
  });
});

test.each([
  ["a page without the marks", "# Rooms\n", files, 'needs the lines "<!--'],
  [
    "options that are gone",
    page,
    new Map(files).set(`${core}tools/tool-options.ts`, ""),
    "no interface ToolOptions",
  ],
])("refuses %s", (_, text, sources, message) => {
  expect(() => withHouseTable(text, sources)).toThrow(message);
});
