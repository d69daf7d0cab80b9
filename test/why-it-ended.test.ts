import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

const PAGE = "docs/why-it-ended.md";
const REASONS = "packages/core/src/log/stop-reason.ts";

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), "utf8");

/** The rows of the page's table: the stop types, and the other cells. */
const rows = read(PAGE)
  .split("\n")
  .filter((line) => /^\| \[`[a-z]/.test(line))
  .map((line) => {
    const [types = "", sentence = "", where = ""] = line.split(" | ").map((cell) => cell.replace(/^\| /, ""));
    return { title: `${types}: ${sentence}`, types: codeIn(types), sentence, where };
  });

function codeIn(cell: string): string[] {
  return [...cell.matchAll(/`(\w+)`/g)].map(([, name = ""]) => name);
}

/** Returns the text of all files that a cell links to. */
function sourcesOf(where: string): string {
  const paths = [...where.matchAll(/\]\(\.\.\/([^)]+)\)/g)].map(([, path = ""]) => path);
  return paths.map(read).join("\n");
}

it("names every type of stop reason, and no other", () => {
  const [, union = ""] = read(REASONS).match(/export type StopType =([\s\S]+?);\n/) ?? [];
  const types = [...union.matchAll(/\| "(\w+)"/g)].map(([, type = ""]) => type);
  expect(types.length).toBeGreaterThan(10);
  expect([...new Set(rows.flatMap((row) => row.types))].sort()).toEqual(types.sort());
});

it.each(rows)("finds the function of $title", ({ where }) => {
  const linked = [...where.matchAll(/\[`(\w+)`\]\(\.\.\/([^)]+)\)/g)];
  for (const [, name = "", path = ""] of linked) {
    expect(read(path), `${name} in ${path}`).toMatch(new RegExp(`function ${name}\\b|\\b${name}: \\(\\) =>`));
  }
});

it.each(rows)("finds the sentence of $title", ({ sentence, where }) => {
  // Messages that several files use are declared beside the stop types.
  const sources = `${sourcesOf(where)}\n${read(REASONS)}\n${read("packages/core/src/stop/limits.ts")}\n${read("packages/core/src/loop/hooks/call-hooks.ts")}`;
  for (const [, quoted = ""] of sentence.matchAll(/"([^"]+)"/g)) expect(sources).toContain(quoted);
  for (const name of codeIn(sentence)) expect(sources).toMatch(new RegExp(`\\b${name}\\b`));
});
