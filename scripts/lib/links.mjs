import { posix } from "node:path";

/**
 * Finds relative links of Markdown pages that lead to no file or to no heading. Code is left out.
 *
 * @param {ReadonlyMap<string, string>} pages text by path, relative to the root of the project
 * @param {(path: string) => boolean} exists whether there is such a file or folder
 * @returns {{ file: string, line: number, message: string }[]}
 */
export function findDeadLinks(pages, exists) {
  const problems = [];
  for (const [file, text] of pages) {
    for (const [index, content] of withoutCode(text).split("\n").entries()) {
      for (const [, link] of content.matchAll(/\]\(([^()\s]+)\)/g)) {
        const message = wrongWith(link, file, pages, exists);
        if (message) problems.push({ file, line: index + 1, message: `"${link}" ${message}` });
      }
    }
  }
  return problems;
}

function wrongWith(link, file, pages, exists) {
  if (/^[a-z][a-z+.-]*:/.test(link)) return undefined;
  const [path, heading] = link.split("#");
  const target = path === "" ? file : posix.join(posix.dirname(file), path);
  if (!exists(target)) return "leads to no file";
  if (heading === undefined || !pages.has(target)) return undefined;
  return headingsOf(pages.get(target)).has(heading) ? undefined : `leads to no heading of ${target}`;
}

/** Removes the content of code fences and backticks. */
const withoutCode = (text) =>
  text.replace(/^```.*?^```/gms, (block) => block.replace(/[^\n]/g, "")).replace(/`[^`\n]*`/g, "");

/** The headings of a page, as GitHub writes them in links. */
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
