// Builds the reference site. `scripts/docs.mjs` runs this once packages are installed.

import { readFileSync } from "node:fs";
import { Application, TypeDocReader } from "typedoc";
import ts from "typescript";
import { packageDoors } from "../doors.mjs";
import { filesOf } from "../files.mjs";
import { at, root } from "../project.mjs";
import { pagesOf } from "./pages.mjs";
import { shapeSite } from "./plugin.mjs";

const doors = packageDoors();
const entryPoints = doors.map(({ file }) => at(file));
const pages = pagesOf(filesOf(), (path) => readFileSync(at(path), "utf8"));
const projectDocuments = pages.map((path) => at(path));
const app = await Application.bootstrap({ entryPoints, projectDocuments }, [new TypeDocReader()]);
app.options.setCompilerOptions(entryPoints, compilerOptions(), undefined);
shapeSite(app, doors);
const project = await app.convert();
if (project !== undefined) {
  app.validate(project);
  await app.generateOutputs(project);
}
const { errorCount, warningCount } = app.logger;
console.log(
  `${doors.length} doors, ${projectDocuments.length} documents, ${errorCount} errors, ${warningCount} warnings`,
);
const tooMany = app.options.getValue("treatWarningsAsErrors") ? warningCount : 0;
process.exitCode = project === undefined || errorCount + tooMany > 0 ? 1 : 0;

/** Returns the options of tsconfig.json, by which a package finds the sources of another. */
function compilerOptions() {
  const { config } = ts.readConfigFile(at("tsconfig.json"), ts.sys.readFile);
  return ts.parseJsonConfigFileContent({ ...config, include: [], files: entryPoints }, ts.sys, root).options;
}
