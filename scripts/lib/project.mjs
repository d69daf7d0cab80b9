import { existsSync, readdirSync, readFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The root folder of the repository. */
export const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");

/** Returns a path inside the repository. */
export const at = (...parts) => join(root, ...parts);

export const readJson = (path) => JSON.parse(readFileSync(path, "utf8"));

/** The folder of stamps, by which scripts skip work that is done. Deleting node_modules deletes it. */
export const cacheDir = at("node_modules", ".cache", "pawl");

/**
 * Returns the folders of workspaces: those in `packages` and `examples` with a package.json. Relative to the
 * root.
 */
export function workspaces(groups = ["packages", "examples"]) {
  return groups
    .filter((group) => existsSync(at(group)))
    .flatMap((group) =>
      readdirSync(at(group))
        .sort()
        .map((name) => `${group}/${name}`),
    )
    .filter((folder) => existsSync(at(folder, "package.json")));
}

/**
 * Returns the path of the project's Node. It is a dev dependency, so any Node from 20 on can start the
 * scripts.
 */
export function projectNode() {
  const bin = at("node_modules", "node", "bin");
  return join(bin, existsSync(join(bin, "node.exe")) ? "node.exe" : "node");
}

/** Returns the script of a tool's command, to be run with {@link projectNode}. */
export function tool(packageName, command = packageName) {
  const folder = at("node_modules", packageName);
  const { bin } = readJson(join(folder, "package.json"));
  return join(folder, typeof bin === "string" ? bin : bin[command]);
}

/** Returns the environment for child processes. PATH begins with the project's Node and tools, then pnpm. */
export function toolEnv(pnpmDir) {
  const path = [at("node_modules", ".bin"), pnpmDir, process.env.PATH].filter(Boolean).join(delimiter);
  // Caches compiled sources, because tests start many processes that load the same ones.
  const cache = at("node_modules", ".cache", "compiled");
  return {
    ...process.env,
    PATH: path,
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? cache,
    TURBO_TELEMETRY_DISABLED: "1",
    TURBO_NO_UPDATE_NOTIFIER: "1",
  };
}
