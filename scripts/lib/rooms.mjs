import { posix } from "node:path";
import ts from "typescript";
import { FLOORS } from "./floors.mjs";

/** Matches sources in folders. Their package must be in {@link FLOORS}. */
const IN_A_FOLDER = /^(packages|examples)\/[^/]+\/(src|web)\/.+\/[^/]+\.[cm]?[jt]sx?$/;

/**
 * Finds imports that go up or sideways (types included), files without a room, and files at a root that are
 * not doors.
 *
 * @param {ReadonlyMap<string, string>} files text by path, relative to the root of the project
 * @returns {{ file: string, line: number, message: string }[]}
 */
export function findWrongRooms(files, floors = FLOORS) {
  return [...files].flatMap(([file, text]) => {
    const home = Object.keys(floors).find((folder) => file.startsWith(`${folder}/`));
    if (home !== undefined) return wrongIn(file, text, home, floors[home]);
    if (!IN_A_FOLDER.test(file)) return [];
    return [
      { file, line: 1, message: "is in a folder, but scripts/lib/floors.mjs has no order for its package" },
    ];
  });
}

function wrongIn(file, text, home, floors) {
  const own = roomOf(file, home, floors);
  if (own === undefined) return [{ file, line: 1, message: "is in no room of scripts/lib/floors.mjs" }];
  const problems = [];
  if (own.room === "." && !isDoor(file, text))
    problems.push({ file, line: 1, message: "is not a door: only files that re-export lie here" });
  for (const { fileName, pos } of ts.preProcessFile(text, true, true).importedFiles) {
    if (!fileName.startsWith(".")) continue;
    const target = roomOf(posix.join(posix.dirname(file), fileName), home, floors);
    if (target === undefined || target.room === own.room || target.floor < own.floor) continue;
    const where = target.floor === own.floor ? "beside" : "above";
    const message = `"${fileName}" is in ${target.room}/, which is ${where} ${own.room}/`;
    problems.push({ file, line: text.slice(0, pos).split("\n").length, message });
  }
  return problems;
}

/** Returns the innermost room of a path. */
function roomOf(path, home, floors) {
  const folder = posix.dirname(path.slice(home.length + 1));
  return floors
    .flatMap((rooms, floor) => rooms.map((room) => ({ room, floor })))
    .filter(({ room }) => (room === "." ? folder === "." : folder === room || folder.startsWith(`${room}/`)))
    .sort((a, b) => b.room.length - a.room.length)[0];
}

/** A door re-exports, loads styles, or begins with a directive such as `"use client"`. */
function isDoor(file, text) {
  const { statements } = ts.createSourceFile(file, text, ts.ScriptTarget.Latest);
  return statements.every(
    (one, index) =>
      (index === 0 && ts.isExpressionStatement(one) && ts.isStringLiteral(one.expression)) ||
      (ts.isExportDeclaration(one) && one.moduleSpecifier !== undefined) ||
      (ts.isImportDeclaration(one) && one.importClause === undefined),
  );
}
