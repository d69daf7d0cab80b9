import { posix } from "node:path";

/** Where the project is published. */
export const REPOSITORY = "https://github.com/pawl-js/pawl";

/** The path, relative to the root, that a link into the repository's main branch leads to, or undefined. */
export function pathInRepository(link) {
  const [, path] = link.match(/^https:\/\/github\.com\/pawl-js\/pawl\/(?:blob|tree)\/main\/([^#]*)/) ?? [];
  return path === undefined ? undefined : posix.normalize(path);
}
