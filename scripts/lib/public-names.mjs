import ts from "typescript";

/**
 * Finds problems of public names:
 *
 * - names without a doc comment
 * - types that a public name refers to and no door exports
 * - names that two doors of one package export
 * - doors with more names than allowed
 *
 * @param {ts.Program} program
 * @param {Readonly<Record<string, readonly string[]>>} doors paths of the files that are a package's entries,
 * by package
 * @param {object} options
 * @param {(file: string) => boolean} options.isOurs whether a file belongs to the packages' sources
 * @param {Readonly<Record<string, number>>} [options.most] how many names a door may have, by its path
 * @param {readonly string[]} [options.everywhere] names that several doors of a package may export
 * @returns {{ file: string, line: number, message: string }[]}
 */
export function findWrongNames(program, doors, { isOurs, most = {}, everywhere = [] }) {
  const checker = program.getTypeChecker();
  const original = (symbol) =>
    symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  const exported = new Set();
  const problems = [];
  for (const [door, names] of Object.values(doors).flatMap(namesOf)) {
    if (names.size > (most[door] ?? Infinity))
      problems.push({
        file: door,
        line: 1,
        message: `exports ${names.size} names, at most ${most[door]}: move one to another door`,
      });
    for (const [symbol, other] of names) {
      exported.add(original(symbol));
      if (other === undefined) continue;
      problems.push({ file: door, line: 1, message: `"${symbol.name}" is exported by ${other} too` });
    }
  }
  const isHidden = (symbol) => !exported.has(symbol) && isDeclaredByUs(symbol, isOurs);
  for (const symbol of exported) {
    const declarations = (symbol.declarations ?? []).filter((node) => isOurs(node.getSourceFile().fileName));
    if (declarations.length > 0 && !declarations.some(isDocumented))
      problems.push({ ...at(declarations[0]), message: `"${symbol.name}" is public and has no doc comment` });
    const hidden = new Map();
    for (const { name, node } of declarations.flatMap((declaration) => [...typesIn(declaration)])) {
      const type = checker.getSymbolAtLocation(name);
      if (type === undefined || !isHidden(original(type))) continue;
      const message = `"${symbol.name}" is public and refers to "${type.name}", which no door exports`;
      hidden.set(original(type), { ...at(node), message });
    }
    problems.push(...hidden.values());
  }
  return problems;

  /** Returns the names of a package's doors. Each has another door that exports it too, if there is one. */
  function namesOf(paths) {
    const doorOf = new Map();
    return paths.map((door) => {
      const names = new Map();
      for (const symbol of checker.getExportsOfModule(
        checker.getSymbolAtLocation(program.getSourceFile(door)),
      )) {
        names.set(symbol, everywhere.includes(symbol.name) ? undefined : doorOf.get(original(symbol)));
        doorOf.set(original(symbol), door);
      }
      return [door, names];
    });
  }
}

function at(node) {
  const source = node.getSourceFile();
  return {
    file: source.fileName,
    line: source.getLineAndCharacterOfPosition(node.getStart()).line + 1,
  };
}

/** Checks whether a declaration has a doc comment. A variable's comment is at its statement. */
function isDocumented(node) {
  const documented = ts.isVariableDeclaration(node) ? node.parent.parent : node;
  return ts.getJSDocCommentsAndTags(documented).length > 0;
}

/** Checks whether a symbol is a named type of our sources, and not a type parameter or a member. */
function isDeclaredByUs({ flags, declarations = [] }, isOurs) {
  const isType = flags & (ts.SymbolFlags.Interface | ts.SymbolFlags.TypeAlias | ts.SymbolFlags.Class);
  return isType !== 0 && declarations.some((node) => isOurs(node.getSourceFile().fileName));
}

/** Yields the names of types in a declaration. Skips bodies, initial values and private members. */
function* typesIn(node) {
  if (ts.isBlock(node) || ts.isPrivateIdentifier(node.name ?? node) || isInternal(node)) return;
  if (ts.isTypeReferenceNode(node)) yield { name: node.typeName, node };
  if (ts.isExpressionWithTypeArguments(node)) yield { name: node.expression, node };
  const hidden = ts.isVariableDeclaration(node) || ts.isParameter(node) || ts.isPropertyDeclaration(node);
  for (const child of childrenOf(node)) {
    if (hidden && child === node.initializer) continue;
    yield* typesIn(child);
  }
}

/** Checks whether a member is marked `@internal`, i.e. only for its own package. */
function isInternal(node) {
  return ts.getJSDocTags(node).some(({ tagName }) => tagName.text === "internal");
}

function childrenOf(node) {
  const children = [];
  ts.forEachChild(node, (child) => {
    children.push(child);
  });
  return children;
}
