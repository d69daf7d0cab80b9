/** How many columns a line of a comment may have: as many as code. */
const WIDTH = 110;

const DIRECTIVE = /biome-ignore|@ts-(?:expect-error|ignore)/;

/**
 * Finds lines of comments that are too wide. Directives have to stay in one line, and a line without a place
 * to break, e.g. a link, may be wider. Comments after code are not checked: the formatter wraps such lines.
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

/** Whether there is a space between two words. */
const canBreak = (content) =>
  /\S\s+\S/.test(content.replace(/^\s*(?:\{?\/\*+|\*|\/\/)\s*/, "").replace(/\s*\*\/\}?$/, ""));
