import { posix } from "node:path";
import ts from "typescript";
import { importsOf, linesOf, reachOf } from "./reach.mjs";
import { findWrongRooms } from "./rooms.mjs";
import { findSmallFiles, SHORT_LINES } from "./small-files.mjs";

/** The page that has the table. */
export const HOUSE_PAGE = "docs/architecture.md";

const BEGIN = "<!-- `npm run house` writes this table from the sources. -->";
const END = "<!-- end of the table -->";

const CORE = "packages/core/src/";

/** The functions of which the options are counted, by the interfaces that have them. */
const OPTIONS = [
  [`${CORE}agent/agent.ts`, "AgentOptions"],
  [`${CORE}tools/tool-options.ts`, "ToolOptions"],
  [`${CORE}runtime/begin/runtime-types.ts`, "RuntimeSettings"],
  [`${CORE}runtime/begin/run-options.ts`, "RunOptions"],
  ["packages/sse/src/handler/handler-options.ts", "HandlerOptions"],
];

const DOORS = ["store", "model", "tools", "view", "inspect", "disk", "zod3"];

/** Each row's label, its values of earlier days, and how it is measured. */
const ROWS = [
  ["files at core's root, all of them doors", "42", "8", ({ own }) => own.filter(isAtRoot).length],
  ["largest circle of imports, types included", "53 files", "none", ({ files, own }) => circleOf(files, own)],
  ["imports that go up in the order of the rooms", "88", "0", ({ files }) => findWrongRooms(files).length],
  ["files that can be reached from the loop", "", "190", ({ files }) => reachOf(files, LOOP).length],
  ["their lines of code", "", "10,299", ({ files }) => linesOf(files, reachOf(files, LOOP))],
  [
    "files that can be reached from the type `Hook`",
    "133",
    "38",
    ({ files }) => reachOf(files, `${CORE}hooks/hook.ts`).length,
  ],
  [
    "files that can be reached from the type `Tool`",
    "133",
    "28",
    ({ files }) => reachOf(files, `${CORE}tools/tool.ts`).length,
  ],
  ["files of core", "", "394", ({ own }) => own.length],
  [
    `of them with less than ${SHORT_LINES} lines of code, and no reason for it`,
    "",
    "30",
    ({ files }) => findSmallFiles(files).short.length,
  ],
  [
    "of them that a single other file imports, which is no door",
    "",
    "93",
    ({ files }) => findSmallFiles(files).single.length,
  ],
  ["lines of code of core, without comments", "11,575", "22,173", ({ files, own }) => linesOf(files, own)],
  ["names in the main door", "230", "140", ({ files }) => namesIn(files, "index")],
  [
    `names in ${DOORS.map((door) => `\`/${door}\``).join(", ")}`,
    "0, 0, 0, 0, 18, 1, 3",
    "78, 33, 11, 46, 44, 1, 3",
    ({ files }) => DOORS.map((door) => namesIn(files, door)).join(", "),
  ],
  [
    "options of `agent`, `tool`, `runtime`, `run` and `handler`, those in groups too",
    "",
    "95",
    ({ files }) => optionsOf(files),
  ],
];

const LOOP = `${CORE}loop/loop.ts`;

/**
 * Returns the page with its table of core's measures written anew. The text around the table stays.
 *
 * @param {string} page
 * @param {ReadonlyMap<string, string>} files text by path, relative to the root of the project
 * @throws Error if the page lacks the marks around its table, or an interface of options is gone
 */
export function withHouseTable(page, files) {
  const begin = page.indexOf(BEGIN);
  const end = page.indexOf(END, begin);
  if (begin < 0 || end < begin) throw new Error(`${HOUSE_PAGE} needs the lines "${BEGIN}" and "${END}".`);
  const own = [...files.keys()].filter((file) => file.startsWith(CORE) && file.endsWith(".ts"));
  const rows = ROWS.map(([label, ...earlier]) => {
    const measure = earlier.pop();
    const now = measure({ files, own });
    return `| ${[label, ...earlier, typeof now === "number" ? now.toLocaleString("en-US") : now].join(" | ")} |`;
  });
  const table = ["| | without rooms | 28 November 2026 | now |", "|---|---:|---:|---:|", ...rows];
  return `${page.slice(0, begin)}${BEGIN}\n\n${table.join("\n")}\n\n${page.slice(end)}`;
}

function isAtRoot(file) {
  return posix.dirname(file) === CORE.slice(0, -1);
}

/** Returns the number of files in the largest circle of imports. */
function circleOf(files, own) {
  const reached = new Map(own.map((file) => [file, new Set(reachOf(files, file))]));
  const sizes = own
    .filter((file) => importsOf(files, file).some((target) => reached.get(target)?.has(file)))
    .map((file) => [...reached.get(file)].filter((other) => reached.get(other)?.has(file)).length);
  return sizes.length === 0 ? "none" : `${Math.max(...sizes)} files`;
}

/** Returns how many names a door exports. */
function namesIn(files, door) {
  const { statements } = ts.createSourceFile(
    "a.ts",
    files.get(`${CORE}${door}.ts`) ?? "",
    ts.ScriptTarget.Latest,
  );
  return statements.reduce((sum, one) => sum + (one.exportClause?.elements?.length ?? 0), 0);
}

function optionsOf(files) {
  return OPTIONS.reduce((sum, [file, name]) => sum + membersOf(files.get(file) ?? "", name), 0);
}

function membersOf(text, name) {
  const { statements } = ts.createSourceFile("a.ts", text, ts.ScriptTarget.Latest);
  const found = statements.find((one) => ts.isInterfaceDeclaration(one) && one.name.text === name);
  if (found === undefined) throw new Error(`There is no interface ${name}.`);
  return found.members.reduce(
    (sum, { type }) => sum + (type !== undefined && ts.isTypeLiteralNode(type) ? type.members.length : 1),
    0,
  );
}
