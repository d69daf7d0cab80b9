import { execFileSync } from "node:child_process";
import { root } from "./project.mjs";

/** Checks whether the whole history is there. It is not in a shallow clone, or in a folder without git. */
export const hasHistory = (folder = root) => git(folder, "rev-parse", "--is-shallow-repository") === "false";

/** Returns how many commits since `commit` changed one of `paths`, or undefined for an unknown commit. */
export function commitsSince(commit, paths, folder = root) {
  const count = git(folder, "rev-list", "--count", `${commit}..HEAD`, "--", ...paths);
  return count === undefined ? undefined : Number(count);
}

/**
 * Names the code in the working tree by its commit, e.g. `1a2b3c4d` or `1a2b3c4d with uncommitted changes`.
 * Returns undefined without git. A change of one of `except` does not count.
 */
export function currentCode(except, folder = root) {
  const commit = git(folder, "rev-parse", "--short=8", "HEAD");
  const changes = git(folder, "status", "--porcelain", "--", ".", ...except.map((path) => `:!${path}`));
  if (commit === undefined || changes === undefined) return undefined;
  return changes === "" ? commit : `${commit} with uncommitted changes`;
}

function git(cwd, ...args) {
  try {
    return execFileSync("git", args, { cwd, stdio: ["ignore", "pipe", "ignore"] })
      .toString()
      .trim();
  } catch {
    return undefined;
  }
}
