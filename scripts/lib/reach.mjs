import { posix } from "node:path";
import ts from "typescript";

const CORE = "packages/core/src";

/** How many files the reader of one file has to know at most. */
export const REACH = {
  [`${CORE}/loop/loop.ts`]: 135,
  [`${CORE}/hooks/hook.ts`]: 42,
  [`${CORE}/tools/tool.ts`]: 32,
};

/**
 * Returns the files that a file reaches by relative imports, itself included. Types and late imports count.
 *
 * @param {ReadonlyMap<string, string>} files text by path, relative to the root of the project
 * @param {string} start
 * @returns {string[]}
 */
export function reachOf(files, start) {
  const reached = new Set([start]);
  // The set grows while it is read.
  for (const file of reached) for (const target of importsOf(files, file)) reached.add(target);
  return [...reached];
}

/**
 * Returns the files that a file imports by relative paths.
 *
 * @param {ReadonlyMap<string, string>} files
 * @param {string} file
 */
export function importsOf(files, file) {
  const { importedFiles } = ts.preProcessFile(files.get(file) ?? "", true, true);
  return importedFiles
    .filter(({ fileName }) => fileName.startsWith("."))
    .map(({ fileName }) => posix.join(posix.dirname(file), fileName))
    .filter((target) => files.has(target));
}

/**
 * Finds files that reach more others than they may.
 *
 * @param {ReadonlyMap<string, string>} files text by path, relative to the root of the project
 * @returns {{ file: string, line: number, message: string }[]}
 */
export function findFarReaches(files, most = REACH) {
  return Object.entries(most).flatMap(([file, limit]) => {
    const { length } = reachOf(files, file);
    if (!files.has(file))
      return [{ file, line: 1, message: "is not there, but scripts/lib/reach.mjs has it" }];
    if (length <= limit) return [];
    return [
      { file, line: 1, message: `reaches ${length} files, ${limit} are allowed (scripts/lib/reach.mjs)` },
    ];
  });
}

/**
 * Counts the lines of code of files, without comments and blank lines.
 *
 * @param {ReadonlyMap<string, string>} files
 * @param {readonly string[]} paths
 */
export function linesOf(files, paths) {
  return paths.reduce((sum, path) => sum + codeLines(files.get(path) ?? ""), 0);
}

function codeLines(text) {
  const source = ts.createSourceFile("a.ts", text, ts.ScriptTarget.Latest);
  const lines = new Set();
  const visit = (node) => {
    const children = node.getChildren(source).filter((child) => !ts.isJSDoc(child));
    for (const child of children) visit(child);
    if (children.length > 0 || node.end === node.getStart(source)) return;
    const first = source.getLineAndCharacterOfPosition(node.getStart(source)).line;
    const last = source.getLineAndCharacterOfPosition(node.end).line;
    for (let line = first; line <= last; line += 1) lines.add(line);
  };
  for (const statement of source.statements) visit(statement);
  return lines.size;
}
