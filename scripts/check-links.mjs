import { existsSync, readFileSync } from "node:fs";
import { filesOf } from "./lib/files.mjs";
import { findDeadLinks } from "./lib/links.mjs";
import { at } from "./lib/project.mjs";

// Checks that relative links in Markdown pages lead to existing files and headings.
const pages = new Map(
  filesOf()
    .filter((path) => path.endsWith(".md"))
    .map((path) => [path, readFileSync(at(path), "utf8")]),
);
const problems = findDeadLinks(pages, (path) => existsSync(at(path)));
for (const { file, line, message } of problems) console.error(`${file}:${line}: ${message}`);
console.log(`${pages.size} pages, ${problems.length} dead links`);
process.exitCode = problems.length > 0 ? 1 : 0;
