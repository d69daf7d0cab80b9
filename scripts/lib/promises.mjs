import ts from "typescript";

/** The page that lists the promises. */
export const LEGEND = "docs/promises.md";

/** The heading below which the page has no more promises, but their numbers. */
const NUMBERS = "## Numbers";

const LEADING_IDS = /^(?:[A-Z]\d{1,2} )+/;
// Test data, e.g. "Q4 bonus pool".
const QUARTER = /^Q[1-4]$/;
const TITLED = /^(?:it|test|describe)\b/;

/** Checks whether a file has titles of tests: it is in a folder `test`, or is a contract. */
export const hasTitles = (path) =>
  /(?:^|\/)test\/.+\.tsx?$/.test(path) || /^packages\/testing\/src\/.*contract.*\.ts$/.test(path);

/**
 * Compares the ids at the beginning of test titles with the legend. A title is e.g. `P5 E11 refuses …`. The
 * legend has a row for each id, e.g. `| P5 | … |`, below a heading for its group, e.g. `## P · …`. Ignores
 * ids elsewhere in titles.
 *
 * @param {ReadonlyMap<string, string>} files text by path: test files and contracts
 * @param {string} legend the text of the legend
 * @returns {{ file: string, line: number, message: string }[]}
 */
export function findWrongPromises(files, legend) {
  const { promises, groups, problems } = readLegend(legend);
  const proven = new Set();
  for (const [file, text] of files) {
    for (const { id, line, isTitle } of idsIn(file, text)) {
      proven.add(id);
      // Strings of test data may begin like an id of an unknown group, e.g. "A4 paper".
      if (promises.has(id) || !(isTitle || (groups.has(id[0]) && !QUARTER.test(id)))) continue;
      problems.push({
        file,
        line,
        message: `${id} is not in ${LEGEND}; add its promise there, or use an id from there`,
      });
    }
  }
  for (const [id, line] of promises) {
    if (!proven.has(id)) problems.push({ file: LEGEND, line, message: `${id} is in no test's title` });
  }
  return problems;
}

function readLegend(legend) {
  const promises = new Map();
  const groups = new Set();
  const problems = [];
  const report = (line, message) => problems.push({ file: LEGEND, line, message });
  for (const [index, content] of legend.split("\n").entries()) {
    const line = index + 1;
    const heading = content.match(/^## ([A-Z]) · /)?.[1];
    if (heading !== undefined) {
      if (groups.has(heading)) report(line, `${heading} has a heading already`);
      groups.add(heading);
    }
    // Numbers are in a table of their own, which has more columns.
    if (content === NUMBERS) break;
    const [, id, promise] = content.match(/^\| *([A-Z]\d{1,2}) *\|(.*)\|\s*$/) ?? [];
    if (id === undefined) continue;
    if (promises.has(id)) report(line, `${id} is there twice`);
    if (promise.trim() === "") report(line, `${id} promises nothing`);
    if ([...groups].at(-1) !== id[0]) report(line, `${id} is not below the heading of ${id[0]}`);
    promises.set(id, line);
  }
  return { promises, groups, problems };
}

/**
 * Returns the ids at the beginning of a file's strings, because rows of `it.each` and names of contract cases
 * are titles too.
 */
function idsIn(file, text) {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const found = [];
  const visit = (node) => {
    if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node)) {
      const line = source.getLineAndCharacterOfPosition(node.getStart()).line + 1;
      for (const id of leadingIds(node.text)) found.push({ id, line, isTitle: isTitle(node) });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

const leadingIds = (text) => text.match(LEADING_IDS)?.[0].trim().split(" ") ?? [];

function isTitle(node) {
  const text = ts.isTemplateHead(node) ? node.parent : node;
  const { parent } = text;
  return (
    ts.isCallExpression(parent) && parent.arguments[0] === text && TITLED.test(parent.expression.getText())
  );
}
