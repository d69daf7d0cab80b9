import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";

const readme = readFileSync(join(import.meta.dirname, "..", "README.md"), "utf8");
const [, section = ""] = readme.split("## What works with which client\n");
const cellsOf = (line: string) => line.split("|").slice(1, -1);
const [head = [], , ...rows] = section
  .split("\n")
  .filter((line) => line.startsWith("|"))
  .map(cellsOf);

/** The paths of a folder's tests by their names, whichever room they are in. */
function testsIn(folder: string): ReadonlyMap<string, string> {
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return new Map(paths.map((path) => [basename(path), join(folder, path)]));
}

const own = testsIn(import.meta.dirname);
const clients = testsIn(join(import.meta.dirname, "../../client/test"));

/** The files of tests that a cell names. */
function filesIn(cell: string): string[] {
  return Array.from(
    cell.matchAll(/`(client\/)?([\w-]+\.test\.ts)`/g),
    ([, client, file = ""]) => (client === undefined ? own : clients).get(file) ?? file,
  );
}

/** How a file says that it runs with each version of a column's client. */
const VERSIONS: readonly [column: RegExp, each: RegExp][] = [
  [/ 6 and 7/, /\[("[\d.]+", )*"?6"?, ("[\d.]+", )*"?7"?\]/],
  [/ 0\.0\.59 and 1\.0/, /\["0\.0\.59", "1\.0"\]/],
];

describe("W2 the table of clients in the README", () => {
  it("names a test that exists in every cell, or says why the feature is not offered", () => {
    expect(rows.length).toBeGreaterThan(12);
    for (const [feature, ...cells] of rows) {
      expect(cells).toHaveLength(head.length - 1);
      for (const cell of cells) {
        expect([feature, cell, filesIn(cell).filter((file) => !existsSync(file))]).toEqual([
          feature,
          cell,
          [],
        ]);
        expect([feature, cell]).toEqual([
          feature,
          expect.stringMatching(/\.test\.ts`|not offered.*, because /),
        ]);
      }
    }
  });

  it("names tests that run with every version of their column, unless the cell names one", () => {
    for (const [column, each] of VERSIONS) {
      const at = head.findIndex((name) => column.test(name));
      const cells = rows.map((row) => row[at] ?? "").filter((cell) => !cell.includes("(version "));
      const files = cells.flatMap(filesIn);
      expect(files.length).toBeGreaterThan(9);
      for (const file of files)
        expect([file, readFileSync(file, "utf8")]).toEqual([file, expect.stringMatching(each)]);
    }
  });
});
