import { existsSync, readdirSync, readFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The repository's root. */
export const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");

/** A path inside the repository. */
export const at = (...parts) => join(root, ...parts);

export const readJson = (path) => JSON.parse(readFileSync(path, "utf8"));

/** Stamps, by which later runs skip finished work. The folder is deleted with node_modules. */
export const cacheDir = at("node_modules", ".cache", "pawl");

/** Folders with a package.json inside `packages` and `examples`, relative to the root. */
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

/** The project's own Node: a dev dependency, so that any Node from 20 can start everything. */
export function projectNode() {
  const bin = at("node_modules", "node", "bin");
  return join(bin, existsSync(join(bin, "node.exe")) ? "node.exe" : "node");
}

/** The script behind a tool's command, to be run with {@link projectNode}. */
export function tool(packageName, command = packageName) {
  const folder = at("node_modules", packageName);
  const { bin } = readJson(join(folder, "package.json"));
  return join(folder, typeof bin === "string" ? bin : bin[command]);
}

/** The environment of child processes: the project's Node and tools come first in PATH, then pnpm. */
export function toolEnv(pnpmDir) {
  const path = [at("node_modules", ".bin"), pnpmDir, process.env.PATH].filter(Boolean).join(delimiter);
  // Tests start many processes that load the same sources; the cache compiles each source once.
  const cache = at("node_modules", ".cache", "compiled");
  return {
    ...process.env,
    PATH: path,
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? cache,
    TURBO_TELEMETRY_DISABLED: "1",
    TURBO_NO_UPDATE_NOTIFIER: "1",
  };
}
