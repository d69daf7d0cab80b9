// Prints the errors in a program, and in our packages that it uses. Usage: `declarations.mjs COMPILER TSCONFIG`.
// A compiler's own command would check the declarations of all other packages too, which takes twice as long.
import { createRequire } from "node:module";

const [compiler, config] = process.argv.slice(2);
const ts = createRequire(import.meta.url)(compiler);
const host = {
  ...ts.sys,
  getCurrentDirectory: () => process.cwd(),
  getNewLine: () => "\n",
  getCanonicalFileName: (name) => name,
  onUnRecoverableConfigFileDiagnostic: (problem) => print([problem]),
};
const { fileNames, options, errors } = ts.getParsedCommandLineOfConfigFile(config, {}, host);
const program = ts.createProgram(fileNames, options);
const ours = program
  .getSourceFiles()
  .filter(
    ({ fileName }) => !fileName.includes("/node_modules/") || fileName.includes("/node_modules/@pawl/"),
  );
print([
  ...errors,
  ...program.getOptionsDiagnostics(),
  ...program.getGlobalDiagnostics(),
  ...ours.flatMap((file) => [
    ...program.getSyntacticDiagnostics(file),
    ...program.getSemanticDiagnostics(file),
    ...program.getDeclarationDiagnostics(file),
  ]),
]);
// A filter that lets nothing through would find no error either.
if (!ours.some(({ fileName }) => fileName.includes("/node_modules/@pawl/core/"))) {
  console.log("error TS0: no declarations of our packages were checked");
  process.exitCode = 1;
}

function print(problems) {
  if (problems.length > 0) process.exitCode = 1;
  process.stdout.write(ts.formatDiagnostics(problems, host));
}
