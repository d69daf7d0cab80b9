import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { LIMITS } from "../scripts/lib/limits.mjs";
import { at } from "../scripts/lib/project.mjs";
import { BUNDLES, bundle, type Part } from "./packed/bundle.mjs";

const CORE = "`agent`, `tool`, `runtime` and `memoryStore` of `@pawl/core`";

/** kB, compressed with gzip. */
const SIZES: readonly [label: string, kB: number][] = [
  ["`useAgent` of `@pawl/client/react`, without React", LIMITS.useAgent],
  ["`createAspClient` of `@pawl/client/asp`", LIMITS.createAspClient],
  ["`useAsp` of `@pawl/client/react`, without React", LIMITS.useAsp],
  [CORE, LIMITS.core],
];

/** The modules of the library that validate, and its formats. */
const VALIDATOR = /@cfworker\/json-schema\/.*\/(validator|validate|format)\.js$/;

const validates = ({ modules }: Part) => modules.some((path) => VALIDATOR.test(path));

it.each(SIZES)("U11 %s costs at most %s kB", async (label, limit) => {
  const { start } = await bundle(BUNDLES[label] ?? "");
  expect(start.compressed).toBeGreaterThan(5_000);
  expect(start.compressed / 1_000).toBeLessThanOrEqual(limit);
});

it.each(Object.keys(BUNDLES))("U11 the README's table has the size of %s", async (label) => {
  const row = readFileSync(at("README.md"), "utf8").match(rowOf(label));
  const { start } = await bundle(BUNDLES[label] ?? "");
  expect(Math.abs(Number(row?.[1]) - start.minified / 1_000)).toBeLessThan(2);
  expect(Math.abs(Number(row?.[2]) - start.compressed / 1_000)).toBeLessThan(0.5);
});

/** Matches a row of the table: its label, and the sizes in kB, the second one compressed. */
function rowOf(label: string): RegExp {
  const text = label.replace(/[^\w\s]/g, "\\$&");
  return new RegExp(`^\\| ${text} \\| ([\\d.]+) kB \\| ([\\d.]+) kB \\|$`, "m");
}

it.each<[string, { later: boolean }]>([
  [BUNDLES[CORE] ?? "", { later: true }],
  ['export { agentTool, approval, runtime, tool } from "@pawl/core";', { later: true }],
  ['export { agent, memoryStore, tool, toJsonSchema, validate } from "@pawl/core";', { later: false }],
])("U11 starts without a JSON Schema validator: %s", async (code, { later }) => {
  const parts = await bundle(code);
  // `later`: answers to hooks' questions are checked by the schema in the log.
  expect({ start: validates(parts.start), later: validates(parts.later) }).toEqual({ start: false, later });
});

it("U11 has the validator at hand for schemas that jsonSchema() makes", async () => {
  expect(validates((await bundle('export { jsonSchema } from "@pawl/core";')).start)).toBe(true);
});
