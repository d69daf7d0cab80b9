import { execTool } from "./exec.mjs";
import { at } from "./project.mjs";

/** All but the pages, and all pages, which have the DOM. Each page has a file of its own too, for editors. */
const CONFIGS = ["tsconfig.json", "examples/tsconfig.web.json"];

/** Checks all types. The builds of packages check none. */
export async function types(env) {
  const results = [];
  // A second checker would check again what both use, and other checks need the other core.
  for (const config of CONFIGS) {
    results.push(
      await execTool(["@typescript/native", "tsc"], ["-p", at(config), "--noEmit", "--checkers", "1"], {
        env,
      }),
    );
  }
  return { ok: results.every(({ ok }) => ok), output: results.map(({ output }) => output).join("") };
}
