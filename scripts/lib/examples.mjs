import ts from "typescript";

/**
 * Finds public functions and classes without an `@example` in their doc comment.
 *
 * @param {ts.Program} program
 * @param {readonly string[]} doors paths of files whose exports are public
 * @returns {{ file: string, line: number, message: string }[]}
 */
export function findWithoutExample(program, doors) {
  const checker = program.getTypeChecker();
  const symbols = doors.flatMap((door) =>
    checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(door))).map(original),
  );
  return [...new Set(symbols)]
    .filter((symbol) => isCallable(symbol) && !symbol.declarations.some(hasExample))
    .map(({ name, declarations: [node] }) => {
      const source = node.getSourceFile();
      const line = source.getLineAndCharacterOfPosition(node.getStart()).line + 1;
      return { file: source.fileName, line, message: `"${name}" is public and has no @example` };
    });

  function original(symbol) {
    return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  }

  function isCallable(symbol) {
    if (symbol.flags & (ts.SymbolFlags.Function | ts.SymbolFlags.Class)) return true;
    const isVariable = (symbol.flags & ts.SymbolFlags.Variable) !== 0;
    return isVariable && checker.getTypeOfSymbol(symbol).getCallSignatures().length > 0;
  }
}

/** Checks whether a declaration has an example. A variable's comment is at its statement. */
function hasExample(node) {
  const documented = ts.isVariableDeclaration(node) ? node.parent.parent : node;
  return ts.getJSDocTags(documented).some(({ tagName }) => tagName.text === "example");
}
