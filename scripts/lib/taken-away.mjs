import ts from "typescript";

const TAKES = new Set(["without", "Reflect.deleteProperty"]);
/** Methods of a list that leave some of it out. */
const ONE_OF = new Set(["at", "filter", "find", "findLast", "pop", "slice", "splice", "toSpliced"]);

/** Returns the names of the capabilities that a node takes away. A module that is replaced always is one. */
export function takenAway(node, capabilities) {
  const module = replacedModule(node);
  return module === undefined ? leftOut(node).filter((name) => capabilities.has(name)) : [module];
}

/** Returns the names that an expression or a type leaves out. */
const leftOut = (node) => LEFT_OUT[node.kind]?.(node) ?? [];

const { SyntaxKind } = ts;
const LEFT_OUT = {
  [SyntaxKind.PropertyAssignment]: (node) => (isUnset(node) || isTakenOut(node) ? [nameOf(node.name)] : []),
  [SyntaxKind.PropertyDeclaration]: (node) => (isUnset(node) ? [nameOf(node.name)] : []),
  [SyntaxKind.ShorthandPropertyAssignment]: ({ name }) => (isNothing(name) ? [name.text] : []),
  [SyntaxKind.GetAccessor]: (node) => (givesNothing(node) ? [nameOf(node.name)] : []),
  [SyntaxKind.BindingElement]: (node) => (isDropped(node) ? [nameOf(node.propertyName ?? node.name)] : []),
  [SyntaxKind.DeleteExpression]: ({ expression }) => [memberOf(expression)],
  [SyntaxKind.BinaryExpression]: (node) => (isReset(node) ? [memberOf(node.left)] : []),
  [SyntaxKind.TypeReference]: omitted,
  [SyntaxKind.ObjectLiteralExpression]: (node) => (isPlainStore(node) ? ["open"] : []),
  [SyntaxKind.ClassDeclaration]: (node) => (isPlainStore(node) ? ["open"] : []),
  [SyntaxKind.ClassExpression]: (node) => (isPlainStore(node) ? ["open"] : []),
  [SyntaxKind.CallExpression]: takenByCall,
};

/** Returns the names that a call takes away, e.g. of `without()`, `Reflect` or `Object.defineProperty()`. */
function takenByCall(node) {
  const [, name, value] = node.arguments;
  const called = node.expression.getText();
  if (TAKES.has(called)) return [textOf(name)];
  if (called === "Reflect.set") return value !== undefined && isNothing(value) ? [textOf(name)] : [];
  // Only the way without the capability: the first one has it.
  if (called === "eachWay") return isOneWay(node) ? [textOf(node.arguments[0])] : [];
  if (called !== "Object.defineProperty" || value === undefined || !ts.isObjectLiteralExpression(value))
    return [];
  return value.properties.some((one) => givesNothing(one)) ? [textOf(name)] : [];
}

function replacedModule(node) {
  if (!ts.isCallExpression(node) || !/^vi\.(?:do)?mock$/i.test(node.expression.getText())) return undefined;
  return `vi.mock(${node.arguments[0]?.getText() ?? ""})`;
}

/** Returns the text of a string, or of the constant of this file that has it. */
export function constantOf(node) {
  const value = node && (ts.isIdentifier(node) ? initializerOf(node) : node);
  return value !== undefined && ts.isStringLiteralLike(value) ? value.text : undefined;
}

/** Returns what the constant of this file with this name is. */
function initializerOf(name) {
  const isIt = (node) =>
    ts.isVariableDeclaration(node) &&
    textOf(node.name) === name.text &&
    node.parent.flags & ts.NodeFlags.Const &&
    node.initializer !== undefined &&
    node.initializer !== name;
  let found;
  const visit = (node) => {
    if (isIt(node)) found = node.initializer;
    ts.forEachChild(node, visit);
  };
  visit(name.getSourceFile());
  return found;
}

/** Checks whether an expression is `undefined` or `null`, maybe only sometimes, or a constant that is. */
function isNothing(node) {
  if (node === undefined) return false;
  const value = bare(node);
  if (ts.isVoidExpression(value) || value.kind === ts.SyntaxKind.NullKeyword) return true;
  if (ts.isConditionalExpression(value)) return isNothing(value.whenTrue) || isNothing(value.whenFalse);
  if (!ts.isIdentifier(value)) return false;
  return value.text === "undefined" || isNothing(initializerOf(value));
}

/** Returns an expression without the parentheses and the types around it. */
function bare(node) {
  const isAround =
    ts.isAsExpression(node) ||
    ts.isSatisfiesExpression(node) ||
    ts.isParenthesizedExpression(node) ||
    ts.isNonNullExpression(node) ||
    ts.isTypeAssertionExpression(node);
  return isAround ? bare(node.expression) : node;
}

const isUnset = ({ initializer }) => isNothing(initializer);

/** Checks whether a getter or a property of a property's description gives nothing. */
function givesNothing(node) {
  if (ts.isPropertyAssignment(node)) return isUnset(node);
  const [first] = node.body?.statements ?? [];
  return (
    first !== undefined &&
    ts.isReturnStatement(first) &&
    (first.expression === undefined || isNothing(first.expression))
  );
}

const textOf = (node) =>
  node !== undefined && (ts.isIdentifier(node) || ts.isStringLiteralLike(node)) ? node.text : undefined;

/** Returns the name of a property, also one in brackets. */
const nameOf = (node) => textOf(ts.isComputedPropertyName(node) ? keyOf(node.expression) : node);

const memberOf = (node) =>
  ts.isPropertyAccessExpression(node) ? node.name.text : textOf(keyOf(node.argumentExpression));

/** Returns the text that is a key in brackets, or the constant that has it. */
function keyOf(node) {
  const value = node && bare(node);
  return value !== undefined && ts.isIdentifier(value) ? initializerOf(value) : value;
}

const isReset = ({ operatorToken, right }) =>
  operatorToken.kind === ts.SyntaxKind.EqualsToken && isNothing(right);

/**
 * Checks whether a pattern takes a property out of the rest only to drop it: `const { open, ...others } =
 * store`, if nothing else names `open` in the function.
 */
function isDropped({ dotDotDotToken, initializer, name, parent }) {
  if (dotDotDotToken ?? initializer ?? !ts.isObjectBindingPattern(parent)) return false;
  if (!parent.elements.some((one) => one.dotDotDotToken !== undefined)) return false;
  let around = parent;
  while (!ts.isFunctionLike(around) && !ts.isSourceFile(around)) around = around.parent;
  return around.getText().match(new RegExp(`(?<![.\\w])${name.getText()}\\b`, "g")).length === 1;
}

/** Checks the same of a pattern that is assigned to: `({ open: _, ...others } = store)`. */
function isTakenOut({ parent }) {
  const around = ts.isParenthesizedExpression(parent.parent) ? parent.parent.parent : parent.parent;
  const isPattern =
    ts.isBinaryExpression(around) &&
    around.operatorToken.kind === ts.SyntaxKind.EqualsToken &&
    bare(around.left) === parent;
  return isPattern && parent.properties.some((one) => ts.isSpreadAssignment(one));
}

/** Checks whether only one of the two ways is taken, e.g. `eachWay("open")[1]`. */
function isOneWay({ parent }) {
  if (ts.isElementAccessExpression(parent)) return textOf(parent.argumentExpression) !== "0";
  if (ts.isPropertyAccessExpression(parent)) return ONE_OF.has(parent.name.text);
  const pattern = ts.isVariableDeclaration(parent) ? parent.name : undefined;
  return (
    pattern !== undefined && ts.isArrayBindingPattern(pattern) && ts.isOmittedExpression(pattern.elements[0])
  );
}

/** Returns the names that `Omit` leaves out. */
function omitted({ typeName, typeArguments = [] }) {
  if (typeName.getText() !== "Omit" || typeArguments.length < 2) return [];
  const [, names] = typeArguments;
  const parts = ts.isUnionTypeNode(names) ? names.types : [names];
  return parts.map((part) => (ts.isLiteralTypeNode(part) ? textOf(part.literal) : undefined));
}

/** Checks whether an object or a class is a store of its own that lacks `open`. */
function isPlainStore(node) {
  const members = node.properties ?? node.members;
  if (members.some((one) => ts.isSpreadAssignment(one))) return false;
  const names = members.map(({ name }) => textOf(name));
  return names.includes("acquire") && names.includes("listRecoverable") && !names.includes("open");
}
