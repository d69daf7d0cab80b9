import ts from "typescript";

/**
 * Finds lookups by a name that may be inherited. Plain objects inherit `constructor`, `toString` and others.
 * Look up a name that is known only at run time in a Map, or check `Object.hasOwn` first.
 *
 * @param {import("typescript").Program} program
 * @param {(file: string) => boolean} isOurs
 * @returns {{ file: string, line: number, message: string }[]}
 */
export function findForeignNames(program, isOurs) {
  const checker = program.getTypeChecker();
  const problems = [];
  for (const source of program.getSourceFiles().filter(({ fileName }) => isOurs(fileName))) {
    const visit = (node) => {
      const message = wrongWith(node, checker);
      if (message) {
        const line = source.getLineAndCharacterOfPosition(node.getStart()).line + 1;
        problems.push({ file: source.fileName, line, message });
      }
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
  return problems;
}

function wrongWith(node, checker) {
  if (isIn(node) && isOpen(node.left, checker)) {
    return `"in" finds inherited names too; use Object.hasOwn(${textOf(node.right)}, ${textOf(node.left)})`;
  }
  if (!ts.isElementAccessExpression(node)) return undefined;
  const { expression: object, argumentExpression: name } = node;
  if (!isOpen(name, checker) || isGuarded(node, textOf(object), textOf(name))) return undefined;
  return isWritten(node)
    ? `"${textOf(name)}" may be "__proto__"; use a Map or Object.fromEntries, or refuse it before`
    : `"${textOf(name)}" may be inherited; use a Map, or ask Object.hasOwn(${textOf(object)}, ${textOf(name)}) before`;
}

/**
 * Checks whether a lookup's name can be any text: its type is wider than a set of literals, or a type
 * assertion narrows it.
 */
function isOpen(name, checker) {
  if (ts.isAsExpression(name)) return true;
  if (ts.isPrivateIdentifier(name)) return false;
  const given = checker.getTypeAtLocation(name);
  const type = checker.getBaseConstraintOfType(given) ?? given;
  const parts = type.isUnion() ? type.types : [type];
  const open = ts.TypeFlags.String | ts.TypeFlags.TemplateLiteral | ts.TypeFlags.Any | ts.TypeFlags.Unknown;
  return parts.some(({ flags }) => (flags & open) !== 0);
}

/**
 * Checks whether an enclosing function tests this name with `Object.hasOwn`, or an enclosing loop iterates
 * over the object's own names.
 */
function isGuarded(node, object, name) {
  const asked = isWritten(node) ? `${name} === "__proto__"` : `Object.hasOwn(${object}, ${name})`;
  for (let around = node.parent; around; around = around.parent) {
    if (!isWritten(node) && loopsOver(around, object, name)) return true;
    if (ts.isFunctionLike(around) && contains(around, (part) => textOf(part) === asked)) return true;
  }
  return false;
}

function loopsOver(node, object, name) {
  const isOf = ts.isForOfStatement(node) && textOf(node.expression) === `Object.keys(${object})`;
  const isOwn = isOf || (ts.isForInStatement(node) && textOf(node.expression) === object);
  return isOwn && node.initializer.declarations?.[0]?.name.getText() === name;
}

function isWritten({ parent }) {
  return ts.isBinaryExpression(parent) && ts.isAssignmentOperator(parent.operatorToken.kind);
}

const isIn = (node) => ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.InKeyword;

const contains = (node, is) =>
  is(node) || ts.forEachChild(node, (part) => contains(part, is) || undefined) === true;

/** Returns an expression's text without parentheses and type assertions. */
function textOf(node) {
  if (ts.isParenthesizedExpression(node) || ts.isAsExpression(node) || ts.isNonNullExpression(node)) {
    return textOf(node.expression);
  }
  return ts.isCallExpression(node)
    ? `${textOf(node.expression)}(${node.arguments.map(textOf).join(", ")})`
    : node.getText();
}
