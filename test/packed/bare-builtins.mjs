import { readdirSync, readFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { join } from "node:path";
import { at } from "../../scripts/lib/project.mjs";

const IMPORT = /^(?:import|export)\b[^;"']*["']([^"']+)["']|\b(?:import|require)\(\s*["']([^"']+)["']/gm;
const BARE = new Set(builtinModules.filter((name) => !name.startsWith("node:")));

/**
 * Returns Node's modules that a built file imports without `node:`, e.g. `crypto`. Bundlers for Workers, Deno
 * and browsers look for an npm package of that name.
 */
export function findBareBuiltins(code) {
  const imported = [...code.matchAll(IMPORT)].map(([, declared, called]) => declared ?? called);
  return [...new Set(imported.filter((name) => BARE.has(name)))];
}

/** Checks every built file of the packages in `folders`. */
export function checkBuiltins(folders) {
  const problems = folders.flatMap((folder) =>
    readdirSync(at(folder, "dist"), { recursive: true })
      .filter((file) => file.endsWith(".js"))
      .flatMap((file) => {
        const path = join(folder, "dist", file);
        const bare = findBareBuiltins(readFileSync(at(path), "utf8"));
        return bare.map(
          (name) => `${path} imports "${name}"; it must be "node:${name}" (tsup: removeNodeProtocol)`,
        );
      }),
  );
  return { ok: problems.length === 0, output: problems.join("\n") };
}
