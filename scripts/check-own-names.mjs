import ts from "typescript";
import { filesOf } from "./lib/files.mjs";
import { findForeignNames } from "./lib/own-names.mjs";
import { at, root } from "./lib/project.mjs";

// Checks that a name from outside cannot match an inherited property of an object.
const watched = /^(packages\/[^/]+\/src|examples\/[^/]+\/(src|web|server))\/.+\.tsx?$/;
const files = filesOf().filter((path) => watched.test(path));
// One program for all files: the page's compiler options cover everything that the others do, plus the DOM.
const config = ts.getParsedCommandLineOfConfigFile(at("examples/playground/web/tsconfig.json"), {}, ts.sys);
const program = ts.createProgram(
  files.map((path) => at(path)),
  config.options,
);
const ours = new Set(files.map((path) => at(path).replaceAll("\\", "/")));
const problems = findForeignNames(program, (file) => ours.has(file));
for (const { file, line, message } of problems) {
  console.error(`${file.slice(root.length + 1)}:${line}: ${message}`);
}
console.log(`${files.length} files, ${problems.length} names that may be inherited`);
process.exitCode = problems.length > 0 ? 1 : 0;
