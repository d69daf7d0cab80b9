import { execFileSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { at, root } from "./project.mjs";

const NOT_OURS = new Set(["node_modules", "dist", "coverage", ".git", ".turbo"]);

/**
 * Returns the project's files, relative to the root: those that git tracks or would add. Outside of a
 * repository, returns all files.
 */
export function filesOf() {
  try {
    const args = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
    const listed = execFileSync("git", args, { cwd: root, stdio: ["ignore", "pipe", "ignore"] });
    const paths = listed.toString().split("\0").filter(Boolean);
    return [...new Set(paths)].filter((path) => existsSync(at(path)));
  } catch {
    return walk("");
  }
}

function walk(folder) {
  return readdirSync(at(folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}${entry.name}`;
    if (NOT_OURS.has(entry.name)) return [];
    return entry.isDirectory() ? walk(`${path}/`) : [path];
  });
}
