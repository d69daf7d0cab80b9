import { posix } from "node:path";
import ts from "typescript";

/**
 * The rooms of each package, by floors, from the ground up. A file may import from its own room and from
 * lower floors, and from nowhere else; this includes types. `.` is the root. It contains only doors: files
 * that only re-export, or load styles.
 */
export const FLOORS = {
  "packages/core/src": [
    ["base"],
    ["model", "files", "schema"],
    ["log"],
    ["stores", "reservations", "readers", "session", "engine"],
    ["stop"],
    ["context"],
    ["fold", "view", "tools"],
    ["inspect", "hooks"],
    ["agent"],
    ["leg"],
    ["loop/seldom"],
    ["loop/hooks"],
    ["loop/turn", "loop/tools"],
    ["loop"],
    ["runtime/leg"],
    ["runtime/begin"],
    ["runtime/files"],
    ["runtime/tasks"],
    ["runtime/at-rest"],
    ["runtime/seldom"],
    ["runtime"],
    ["."],
  ],
  "packages/postgres/src": [
    ["database"],
    ["migrations", "store", "listening", "maintenance"],
    ["live", "embedded"],
    ["cli"],
    ["."],
  ],
  "packages/supabase/src": [["base"], ["rpc", "auth", "files"], ["store"], ["user"], ["cli"], ["."]],
  "packages/sse/src": [
    ["request"],
    ["dialects/base"],
    ["session", "dialects", "dialects/plain", "dialects/ag-ui", "dialects/ai-sdk"],
    ["stream"],
    ["handler", "servers"],
    ["."],
  ],
  "packages/client/src": [["wire", "ai-sdk"], ["state"], ["client"], ["asp"], ["react"], ["."]],
  "packages/knowledge/src": [["base"], ["sources"], ["log"], ["initializer", "skills", "context"], ["."]],
  "packages/planning/src": [["base"], ["plan", "docs"], ["record"], ["tools"], ["hooks"], ["."]],
  "packages/cli/src": [["worker"], ["command"], ["."]],
  "packages/pg-boss/src": [["engine"], ["."]],
  "packages/remote/src": [["wire"], ["serve", "use"], ["."]],
  "packages/restate/src": [["engine"], ["."]],
  "packages/sqlite/src": [["database"], ["migrations"], ["store"], ["."]],
  "packages/cloudflare/src": [["alarms"], ["object"], ["."]],
  "packages/mcp/src": [["base"], ["connect", "server"], ["tools"], ["."]],
  "packages/testing/src": [
    ["base", "contract/base"],
    [
      "http",
      "messages/state",
      "contract/store",
      "contract/files",
      "contract/reservations",
      "contract/engine",
    ],
    ["messages/validate"],
    ["messages"],
    ["openai", "models"],
    ["kills"],
    ["."],
  ],
  "examples/coach/src": [
    ["base", "legacy", "simulator", "view", "plans"],
    ["files", "calendar"],
    ["pulse", "sessions"],
    ["deps", "prompt"],
    ["context", "tools"],
    ["hooks"],
    ["agent"],
    ["."],
  ],
  "examples/coach/web": [["base"], ["files", "sessions"], ["pulse", "parts"], ["face"], ["."]],
  "examples/trainer/src": [
    ["base", "simulator", "prompt", "auth"],
    ["workout"],
    ["data"],
    ["tools"],
    ["agent"],
    ["http"],
    ["."],
  ],
  "examples/trainer/web": [["base"], ["workout"], ["card", "progress"], ["parts"], ["face"], ["."]],
  "examples/rocket-league-coach/src": [
    ["base", "prompt"],
    ["data/migrations", "data/sample"],
    ["data", "simulator"],
    ["tools"],
    ["backend", "front"],
    ["main"],
    ["."],
  ],
  "examples/rocket-league-coach/web": [
    ["base"],
    ["charts", "budget"],
    ["parts"],
    ["face"],
    ["."],
    ["gallery"],
  ],
  "examples/enterprise-search/src": [
    ["base"],
    ["company/words"],
    ["company"],
    ["data/migrations"],
    ["data"],
    ["search"],
    ["custom"],
    ["tools", "embedded", "prompt", "simulator"],
    ["agent"],
    ["."],
  ],
  "examples/data-parts/src": [["database", "files", "random"], ["."]],
  "examples/enterprise-search/web": [
    ["base"],
    ["runs"],
    ["state"],
    ["agents"],
    ["plan", "clarify", "sources", "person"],
    ["details"],
    ["face"],
    ["."],
    ["gallery"],
  ],
  "examples/page-parts/web": [["base"], ["."]],
  "examples/playground/web": [
    ["hooks", "face"],
    ["shell", "files"],
    ["markdown", "composer", "sessions"],
    ["thread"],
    ["inspector", "agents"],
    ["log", "fleet"],
    ["page"],
  ],
};

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
      { file, line: 1, message: "is in a folder, but scripts/lib/rooms.mjs has no order for its package" },
    ];
  });
}

function wrongIn(file, text, home, floors) {
  const own = roomOf(file, home, floors);
  if (own === undefined) return [{ file, line: 1, message: "is in no room of scripts/lib/rooms.mjs" }];
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
