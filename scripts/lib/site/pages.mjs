import { posix } from "node:path";
import { linksOf } from "../links.mjs";

const PAGES = /^docs\/(?:(?:guide|errors)\/.+|architecture|events|glossary|why-it-ended)\.md$/;

/**
 * Returns the files that are pages of the site, in the order of its navigation: those of a folder in the
 * order in which the folder's README.md links to them, then the others.
 *
 * @param {readonly string[]} files of the project, relative to its root
 * @param {(path: string) => string} read returns the text of a file
 * @returns {string[]}
 */
export function pagesOf(files, read) {
  const pages = files.filter((path) => PAGES.test(path));
  const first = pages.filter((path) => posix.basename(path) === "README.md");
  const linked = first.flatMap((path) => [path, ...linkedFrom(path, read(path))]);
  return [...new Set([...linked, ...pages])].filter((path) => pages.includes(path));
}

/** Returns the files in a page's own folder that it links to, in order. */
function linkedFrom(path, text) {
  const folder = posix.dirname(path);
  return text
    .split("\n")
    .flatMap(linksOf)
    .map((link) => posix.join(folder, link.split("#")[0]))
    .filter((target) => posix.dirname(target) === folder);
}
