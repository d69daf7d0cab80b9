import { existsSync, readdirSync } from "node:fs";
import { execTool } from "./exec.mjs";
import { at, workspaces } from "./project.mjs";

/**
 * Checks the types of the whole repository, and of each example's page, which has its own configuration with
 * the DOM.
 */
export async function types(env) {
  const results = [];
  // A second checker would check again what both use, and other checks need the other core.
  for (const config of ["tsconfig.json", ...exampleConfigs()]) {
    results.push(
      await execTool(["@typescript/native", "tsc"], ["-p", at(config), "--noEmit", "--checkers", "1"], {
        env,
      }),
    );
  }
  return { ok: results.every(({ ok }) => ok), output: results.map(({ output }) => output).join("") };
}

function exampleConfigs() {
  const folders = workspaces(["examples"]).flatMap((folder) => [
    folder,
    `${folder}/web`,
    `${folder}/src/web`,
  ]);
  return folders
    .filter((folder) => existsSync(at(folder)))
    .flatMap((folder) => readdirSync(at(folder)).map((name) => `${folder}/${name}`))
    .filter((path) => /\/tsconfig[^/]*\.json$/.test(path));
}
