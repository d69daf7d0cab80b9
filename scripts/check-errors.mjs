import { readFileSync } from "node:fs";
import { FOLDER, findWrongErrorPages, KINDS, WHY } from "./lib/error-pages.mjs";
import { filesOf } from "./lib/files.mjs";
import { at } from "./lib/project.mjs";

// Checks that each error code, stop type and wire code has a page in docs/errors.
const textOf = (path) => [path, readFileSync(at(path), "utf8")];
const pages = new Map(
  filesOf()
    .filter((path) => path.startsWith(`${FOLDER}/`) || path === WHY)
    .map(textOf),
);
const sources = new Map(KINDS.map(({ file }) => textOf(file)));
const problems = findWrongErrorPages(pages, sources);
for (const { file, message } of problems) console.error(`${file}: ${message}`);
console.log(`${pages.size} pages, ${problems.length} wrong pages about errors`);
process.exitCode = problems.length > 0 ? 1 : 0;
