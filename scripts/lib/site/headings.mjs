import ts from "typescript";

/**
 * Returns the headings of a door: comments like `// Tools` that stand alone between blank lines, each with
 * the names that are exported below it. A sentence, i.e. what ends with a full stop, is not a heading.
 *
 * @param {string} text of the door's file
 * @returns {Map<string, string[]>}
 */
export function headingsOf(text) {
  const source = ts.createSourceFile("door.ts", text, ts.ScriptTarget.Latest, true);
  const headings = new Map();
  let names;
  for (const statement of source.statements) {
    for (const paragraph of text.slice(statement.pos, statement.getStart()).split("\n\n").slice(0, -1)) {
      const [, heading] = paragraph.trim().match(/^\/\/ (.*[^.])$/) ?? [];
      if (heading === undefined) continue;
      names = [];
      headings.set(heading, names);
    }
    names?.push(...exportedBy(statement));
  }
  return headings;
}

function exportedBy(statement) {
  const clause = ts.isExportDeclaration(statement) ? statement.exportClause : undefined;
  return clause && ts.isNamedExports(clause) ? clause.elements.map(({ name }) => name.text) : [];
}
