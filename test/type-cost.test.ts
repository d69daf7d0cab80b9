import { execFile } from "node:child_process";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, expect, it } from "vitest";
import { LIMITS } from "../scripts/lib/limits.mjs";
import { soak } from "./support/soak.ts";

const folder = join(import.meta.dirname, ".type-cost");
const tsc = join(import.meta.dirname, "..", "node_modules", ".bin", "tsc");
const run = promisify(execFile);

afterAll(async () => await rm(folder, { recursive: true, force: true }));

/** A tool with a schema of six fields, of which `execute` reads four. No two tools have the same types. */
const toolOf = (n: number) => `const t${n} = tool({
  name: "t${n}",
  description: "Does something.",
  input: z.object({
    kind${n}: z.enum(["a", "b", "c${n}"]),
    place: z.object({ lat: z.number(), lon: z.number(), name${n}: z.string() }),
    tags: z.array(z.string()).default([]),
    count${n}: z.number(),
    note: z.string().optional(),
    what: z.discriminatedUnion("t", [
      z.object({ t: z.literal("x${n}"), x: z.number() }),
      z.object({ t: z.literal("y"), y: z.string() }),
    ]),
  }),
  execute: ({ kind${n}, place, tags, count${n} }) => ({ sum: count${n} + place.lat, tags, kind: kind${n} }),
});`;

/** A page that reads the result of every tool. */
const pageOf = (numbers: readonly number[]) => `import { useAgent } from "@pawl/client/react";
export function sums(): number[] {
  const { messages } = useAgent<typeof made>({ url: "/" });
  return messages.flatMap(({ parts }) => parts).map((part) => {
    if (part.type !== "tool" || part.phase !== "done") return 0;
    ${numbers.map((n) => `if (part.toolName === "t${n}") return part.result.sum;`).join("\n    ")}
    return 0;
  });
}`;

type More = (numbers: readonly number[]) => string;

/** Returns the compiler's instantiations for an agent with so many tools. They are the same in every run. */
async function instantiations(count: number, more: More): Promise<number> {
  const numbers = Array.from({ length: count }, (_, n) => n);
  const code = [
    `import { agent, type ModelClient, type Runtime, tool } from "@pawl/core";`,
    `import * as z from "zod";`,
    "declare const model: ModelClient;",
    ...numbers.map(toolOf),
    `export const made = agent({ name: "a", model, instructions: "x", tools: [${numbers.map((n) => `t${n}`)}] });`,
    more(numbers),
  ];
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "main.ts"), code.join("\n"));
  const tsconfig = { extends: "../../tsconfig.json", include: ["./main.ts"] };
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify(tsconfig));
  const { stdout } = await run(tsc, ["-p", folder, "--extendedDiagnostics", "--checkers", "1"]);
  return Number(/Instantiations:\s+(\d+)/.exec(stdout)?.[1]);
}

/** Returns what each further tool costs, between an agent with few tools and one with many. */
async function costOfATool(
  more: More = () => "",
  [least, most]: readonly [number, number] = [soak(20, 100), soak(60, 300)],
): Promise<number> {
  const [few, many] = [await instantiations(least, more), await instantiations(most, more)];
  return (many - few) / (most - least);
}

it(`U12 a tool with a zod schema costs the compiler at most ${LIMITS.toolInAgent} instantiations in an agent`, async () => {
  const each = await costOfATool();
  expect(each).toBeGreaterThan(100);
  expect(each).toBeLessThanOrEqual(LIMITS.toolInAgent);
}, 300_000);

it("U12 F2 an output leaves that as it is", async () => {
  const output = () =>
    `export const other = agent({ name: "b", model, instructions: "x", tools: [t0], output: z.object({ n: z.number() }) });
export const n = async (pawl: Runtime) => (await pawl.run(other, { userId: "u", input: "x" }).result).output?.n;`;
  const each = await costOfATool(output, [5, 55]);
  expect(each).toBeGreaterThan(100);
  expect(each).toBeLessThanOrEqual(LIMITS.toolInAgent);
}, 300_000);

it(`U12 U7 with typed results on the page, a tool costs the compiler at most ${LIMITS.toolOnPage} instantiations`, async () => {
  const each = await costOfATool(pageOf);
  // Results that were not typed would cost no more than above.
  expect(each).toBeGreaterThan(760);
  expect(each).toBeLessThanOrEqual(LIMITS.toolOnPage);
}, 300_000);
