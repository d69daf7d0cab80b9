import ts from "typescript";

/** Sources in which a top-level name stands for one thing. */
const WATCHED = /^packages\/core\/src\//;

/** Names that many files have, each for its own function's options. */
const SHARED = ["OPTIONS", "INSTEAD"];

/**
 * Finds top-level names of core that several files define: a reader who searches for one should find one.
 * Overloads and a type beside its value are in one file, and are allowed.
 *
 * @param {ReadonlyMap<string, string>} files text by path, relative to the root of the project
 * @returns {{ file: string, line: number, message: string }[]}
 */
export function findTwins(files) {
  const known = new Map();
  const problems = [];
  for (const [file, text] of files) {
    if (!WATCHED.test(file)) continue;
    const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest);
    for (const node of source.statements.flatMap(namesOf)) {
      const first = known.get(node.text) ?? file;
      known.set(node.text, first);
      if (first === file || SHARED.includes(node.text)) continue;
      const { line } = source.getLineAndCharacterOfPosition(node.getStart(source));
      problems.push({ file, line: line + 1, message: `"${node.text}" is defined in ${first} too` });
    }
  }
  return problems;
}

/** Returns the names that a statement defines. */
function namesOf(statement) {
  if (!ts.isVariableStatement(statement)) return statement.name === undefined ? [] : [statement.name];
  return statement.declarationList.declarations.map(({ name }) => name).filter(ts.isIdentifier);
}
