import { posix } from "node:path";
import { pathInRepository } from "./repository.mjs";

/**
 * Finds links of Markdown pages, relative ones and those into this repository, that lead to no file or to no
 * heading. Ignores code.
 *
 * @param {ReadonlyMap<string, string>} pages text by path, relative to the root of the project
 * @param {(path: string) => boolean} exists whether this file or folder exists
 * @returns {{ file: string, line: number, message: string }[]}
 */
export function findDeadLinks(pages, exists) {
  const problems = [];
  for (const [file, text] of pages) {
    for (const [index, content] of withoutCode(text).split("\n").entries()) {
      for (const link of linksOf(content)) {
        const message = wrongWith(link, file, pages, exists);
        if (message) problems.push({ file, line: index + 1, message: `"${link}" ${message}` });
      }
    }
  }
  return problems;
}

/**
 * The targets of a line's links: `[text](target)` and `[name]: target`.
 *
 * @param {string} line
 */
export function linksOf(line) {
  const defined = line.match(/^\[[^\]]+\]: +(\S+)$/)?.slice(1) ?? [];
  return [...line.matchAll(/\]\(([^()\s]+)\)/g)].map(([, link]) => link).concat(defined);
}

function wrongWith(link, file, pages, exists) {
  const inRepository = pathInRepository(link);
  if (inRepository === undefined && /^[a-z][a-z+.-]*:/.test(link)) return undefined;
  const [path, heading] = link.split("#");
  const target = inRepository ?? (path === "" ? file : posix.join(posix.dirname(file), path));
  if (!exists(target)) return "leads to no file";
  if (heading === undefined || !pages.has(target)) return undefined;
  return headingsOf(pages.get(target)).has(heading) ? undefined : `leads to no heading of ${target}`;
}

/** Removes code: the content of fences and backticks. */
const withoutCode = (text) =>
  text.replace(/^```.*?^```/gms, (block) => block.replace(/[^\n]/g, "")).replace(/`[^`\n]*`/g, "");

/** Returns the anchors of a page's headings, as GitHub forms them. */
function headingsOf(text) {
  const titles = [...text.matchAll(/^#{1,6} (.*)$/gm)].map(([, title]) => title);
  return new Set(
    titles.map((title) =>
      title
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, "")
        .trim()
        .replaceAll(" ", "-"),
    ),
  );
}
