/** The most columns of a comment's line. The same as for code. */
const WIDTH = 110;

const DIRECTIVE = /biome-ignore|@ts-(?:expect-error|ignore)/;

/**
 * Finds lines of comments that are too wide. A line that cannot be broken, e.g. a link or a directive, may be
 * wider. Comments after code are left out, because the formatter wraps their lines.
 *
 * @param {string} file
 * @param {string} text
 * @returns {{ file: string, line: number, message: string }[]}
 */
export function findWideComments(file, text) {
  const problems = [];
  let inBlock = false;
  for (const [index, content] of text.split("\n").entries()) {
    const begins = /^\s*\{?\/\*/.test(content);
    const isComment = inBlock || begins || /^\s*\/\//.test(content);
    if (inBlock || begins) inBlock = !content.includes("*/");
    if (!isComment || content.length <= WIDTH || DIRECTIVE.test(content) || !canBreak(content)) continue;
    problems.push({
      file,
      line: index + 1,
      message: `this comment has ${content.length} columns, ${WIDTH} are allowed`,
    });
  }
  return problems;
}

/** Checks whether a line has a space at which it can be broken. */
const canBreak = (content) =>
  /\S\s+\S/.test(content.replace(/^\s*(?:\{?\/\*+|\*|\/\/)\s*/, "").replace(/\s*\*\/\}?$/, ""));
