import { readFileSync } from "node:fs";
import ts from "typescript";
import { filesOf } from "./lib/files.mjs";
import { findForeignNames } from "./lib/own-names.mjs";
import { at, root } from "./lib/project.mjs";
import { findTwins } from "./lib/twins.mjs";

// Checks lookups by names that are known only at run time: they must not find inherited members such as
// `constructor`. And checks that core defines each top-level name once.
const watched = /^(packages\/[^/]+\/src|examples\/[^/]+\/(src|web|server))\/.+\.tsx?$/;
const files = filesOf().filter((path) => watched.test(path));
// One TypeScript program checks all files. The page's compiler options include those of the other files, plus
// the DOM.
const config = ts.getParsedCommandLineOfConfigFile(at("examples/playground/web/tsconfig.json"), {}, ts.sys);
const host = ts.createCompilerHost(config.options);
// Doc comments are not asked for.
host.jsDocParsingMode = ts.JSDocParsingMode.ParseNone;
const program = ts.createProgram(
  files.map((path) => at(path)),
  config.options,
  host,
);
const ours = new Set(files.map((path) => at(path).replaceAll("\\", "/")));
const problems = findForeignNames(program, (file) => ours.has(file));
for (const { file, line, message } of problems) {
  console.error(`${file.slice(root.length + 1)}:${line}: ${message}`);
}
const twins = findTwins(new Map(files.map((path) => [path, readFileSync(at(path), "utf8")])));
for (const { file, line, message } of twins) console.error(`${file}:${line}: ${message}`);
console.log(
  `${files.length} files, ${problems.length} names that may be inherited, ${twins.length} names defined twice`,
);
process.exitCode = problems.length + twins.length > 0 ? 1 : 0;
