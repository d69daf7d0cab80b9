import { posix } from "node:path";
import ts from "typescript";
import { packageDoors } from "./lib/doors.mjs";
import { findWithoutExample } from "./lib/examples.mjs";
import { LIMITS } from "./lib/limits.mjs";
import { at, root } from "./lib/project.mjs";
import { findWrongNames } from "./lib/public-names.mjs";

// Checks the names that the packages' doors export, and that functions and classes have an example.
// docs/architecture.md describes doors.
const doors = {};
for (const { folder, file } of packageDoors()) {
  doors[folder] ??= [];
  doors[folder].push(posix.join(root.replaceAll("\\", "/"), file));
}
const { options } = ts.getParsedCommandLineOfConfigFile(at("tsconfig.json"), {}, ts.sys);
const program = ts.createProgram(Object.values(doors).flat(), options);
const wrong = findWrongNames(program, doors, {
  isOurs: (file) => /\/packages\/[^/]+\/src\//.test(file),
  // These names may be exported by several doors: a page that needs only the error class should not load all
  // of core.
  everywhere: ["PawlError", "PawlErrorCode"],
  most: { [doors["packages/core"][0]]: LIMITS.mainDoorNames },
});
const bare = findWithoutExample(program, Object.values(doors).flat());
for (const { file, line, message } of [...wrong, ...bare])
  console.error(`${posix.relative(root, file)}:${line}: ${message}`);
console.log(
  `${packageDoors().length} doors, ${wrong.length} wrong names, ${bare.length} functions without an example`,
);
process.exitCode = wrong.length + bare.length > 0 ? 1 : 0;
