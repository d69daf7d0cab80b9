import { readFileSync } from "node:fs";
import { posix } from "node:path";
import ts from "typescript";
import { packageDoors } from "./lib/doors.mjs";
import { findWithoutExample } from "./lib/examples.mjs";
import { LIMITS } from "./lib/limits.mjs";
import { at, root } from "./lib/project.mjs";
import { findWrongNames } from "./lib/public-names.mjs";
import { findUnexplainedWords, publicWords } from "./lib/public-words.mjs";

// Checks the names that the packages' doors export, that functions and classes have an example, and that the
// glossary has the words that users often meet.
// docs/architecture.md describes doors.
const doors = {};
for (const { folder, file } of packageDoors()) {
  doors[folder] ??= [];
  doors[folder].push(posix.join(root.replaceAll("\\", "/"), file));
}
const { options } = ts.getParsedCommandLineOfConfigFile(at("tsconfig.json"), {}, ts.sys);
const program = ts.createProgram(Object.values(doors).flat(), options);
const isOurs = (file) => /\/packages\/[^/]+\/src\//.test(file);
const wrong = findWrongNames(program, doors, {
  isOurs,
  // These names may be exported by several doors: a page that needs only the error class should not load all
  // of core.
  everywhere: ["PawlError", "PawlErrorCode", "ModelClient", "ModelRequest"],
  most: { [doors["packages/core"][0]]: LIMITS.mainDoorNames },
});
const bare = findWithoutExample(program, Object.values(doors).flat());
for (const { file, line, message } of [...wrong, ...bare])
  console.error(`${posix.relative(root, file)}:${line}: ${message}`);
const words = publicWords(program, Object.values(doors).flat(), isOurs);
const unexplained = findUnexplainedWords(words, readFileSync(at("docs/glossary.md"), "utf8"));
for (const problem of unexplained) console.error(problem);
console.log(
  `${packageDoors().length} doors, ${wrong.length} wrong names, ${bare.length} functions without an example, ${unexplained.length} wrong words`,
);
process.exitCode = wrong.length + bare.length + unexplained.length > 0 ? 1 : 0;
