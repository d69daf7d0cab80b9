import { posix } from "node:path";
import ts from "typescript";
import { importsOf, linesOf } from "./reach.mjs";

/** A file of core should be one thought: neither a part of one, nor several. */
const CORE = "packages/core/src/";

/** Files with fewer lines of code are short. */
export const SHORT_LINES = 15;

/** How many short files, and how many files that a single other file imports, core may have. */
const MOST = { short: 12, single: 60 };

/**
 * Finds files of core that are short, and those that a single file imports. Not among them are files with a
 * reason to be there: doors and lists of code that is loaded later, what these alone import, types without
 * code, and short files that four rooms share.
 *
 * @param {ReadonlyMap<string, string>} files text by path, relative to the root of the project
 * @returns {{ short: string[], single: string[] }}
 */
export function findSmallFiles(files) {
  const own = [...files.keys()].filter((file) => file.startsWith(CORE) && file.endsWith(".ts"));
  const importers = new Map(own.map((file) => [file, []]));
  for (const file of own)
    for (const target of new Set(importsOf(files, file))) importers.get(target)?.push(file);
  const roomsOf = (file) => new Set(importers.get(file).map(posix.dirname)).size;
  const inside = own.filter((file) => !isDoor(file));
  return {
    short: inside.filter(
      (file) => linesOf(files, [file]) < SHORT_LINES && roomsOf(file) < 4 && hasCode(files.get(file)),
    ),
    single: inside.filter((file) => importers.get(file).length === 1 && !isDoor(importers.get(file)[0])),
  };
}

/**
 * Says if core has too many small files.
 *
 * @param {ReadonlyMap<string, string>} files
 * @returns {{ file: string, line: number, message: string }[]}
 */
export function findTooManySmall(files, most = MOST) {
  const { short, single } = findSmallFiles(files);
  const problem = (paths, limit, what) => ({
    file: paths[0],
    line: 1,
    message: `one of ${paths.length} ${what}, ${limit} are allowed: ${paths.map((path) => path.slice(CORE.length)).join(", ")}`,
  });
  return [
    ...(short.length > most.short
      ? [problem(short, most.short, `files with less than ${SHORT_LINES} lines of code`)]
      : []),
    ...(single.length > most.single
      ? [problem(single, most.single, "files that one other file imports")]
      : []),
  ];
}

function isDoor(file) {
  return posix.dirname(file) === CORE.slice(0, -1) || posix.basename(file) === "index.ts";
}

function hasCode(text) {
  const { statements } = ts.createSourceFile("a.ts", text, ts.ScriptTarget.Latest);
  return statements.some(
    (one) =>
      !ts.isImportDeclaration(one) && !ts.isInterfaceDeclaration(one) && !ts.isTypeAliasDeclaration(one),
  );
}
