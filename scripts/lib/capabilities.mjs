import ts from "typescript";

/** The file whose functions take capabilities away, and which therefore may. */
export const SUPPORT = "test/support/each-way.ts";

/** The sources that declare what production may have: optional methods of a store, and parts of a runtime. */
export const PORTS = [
  { file: "packages/core/src/log/event-store.ts", name: "EventStore" },
  {
    file: "packages/core/src/runtime/begin/runtime-types.ts",
    name: "RuntimeSettings",
    types: /^(?:BlobStore|Engine|FileStore|LiveTail)$/,
  },
];

const TITLED = /^(?:it|test|describe)\b/;
const TAKES = new Set(["without", "Reflect.deleteProperty"]);
const TWIN = /\/[/*] twin: (.+?)(?: \*\/)?$/;

/** Checks whether a file may take a capability away: it belongs to the tests. */
export const isTest = (path) => /(?:^|\/)test\/.+\.tsx?$/.test(path) && path !== SUPPORT;

/**
 * Returns the names of the optional capabilities that the ports declare.
 *
 * @param {ReadonlyMap<string, string>} files text by path: those of {@link PORTS}
 * @throws Error if a port is not declared where it should be
 */
export function capabilitiesOf(files) {
  return new Set(
    PORTS.flatMap((port) => optionalMembers(port, parse(port.file, files.get(port.file) ?? ""))),
  );
}

function optionalMembers({ file, name, types }, source) {
  const found = source.statements.find((one) => ts.isInterfaceDeclaration(one) && one.name.text === name);
  if (found === undefined) throw new Error(`${file} declares no interface ${name}.`);
  const members = found.members.filter(
    ({ questionToken, type }) => questionToken && (types?.test(type.getText()) ?? true),
  );
  return members.map((member) => member.name.getText());
}

/**
 * Finds places where a test takes away a capability that production has, and no test runs with it. Such a
 * test may guard what production no longer does. Allowed are `eachWay()` of {@link SUPPORT}, which runs a
 * test both ways, and the title of another test: the last argument of `without()`, or a comment
 * `// twin: <title>` on the same line or the one above.
 *
 * @param {ReadonlyMap<string, string>} files text by path: tests
 * @param {ReadonlySet<string>} capabilities
 * @returns {{ file: string, line: number, message: string }[]}
 */
export function findLonelySwaps(files, capabilities) {
  const titles = new Map();
  const swaps = [];
  for (const [file, text] of files) {
    const source = parse(file, text);
    const lines = text.split("\n");
    const visit = (node) => {
      for (const name of takenAway(node, capabilities)) {
        const line = source.getLineAndCharacterOfPosition(node.getStart()).line;
        swaps.push({ file, line: line + 1, at: node.pos, name, twin: twinOf(node, lines, line) });
      }
      const title = titleOf(node);
      if (title !== undefined) {
        const body = node.arguments.at(-1);
        titles.set(title, [...(titles.get(title) ?? []), { file, from: body.pos, to: body.end }]);
      }
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
  return swaps.flatMap((swap) => {
    const message = wrongWith(swap, swaps, titles);
    return message === undefined ? [] : [{ file: swap.file, line: swap.line, message }];
  });
}

function wrongWith({ name, twin }, swaps, titles) {
  if (twin === undefined) {
    return `\`${name}\` is taken away: run the test both ways by eachWay("${name}") of ${SUPPORT}, or name the test that runs with it`;
  }
  const named = titles.get(twin);
  if (named === undefined) return `no test has the title "${twin}"`;
  const isAlone = named.every(({ file, from, to }) =>
    swaps.some((one) => one.name === name && one.file === file && one.at >= from && one.at < to),
  );
  return isAlone ? `the test "${twin}" takes \`${name}\` away, too` : undefined;
}

/** Returns the names of the capabilities that a node takes away. A module that is replaced always is one. */
function takenAway(node, capabilities) {
  const module = replacedModule(node);
  return module === undefined ? leftOut(node).filter((name) => capabilities.has(name)) : [module];
}

/** Returns the names that an expression or a type leaves out. */
function leftOut(node) {
  if (ts.isPropertyAssignment(node) || ts.isPropertyDeclaration(node)) {
    return isNothing(node.initializer) ? [textOf(node.name)] : [];
  }
  if (ts.isBindingElement(node)) return isDropped(node) ? [textOf(node.propertyName ?? node.name)] : [];
  if (ts.isDeleteExpression(node)) return [memberOf(node.expression)];
  if (ts.isBinaryExpression(node)) return isReset(node) ? [memberOf(node.left)] : [];
  if (ts.isTypeReferenceNode(node)) return omitted(node);
  if (ts.isObjectLiteralExpression(node) || ts.isClassLike(node)) return isPlainStore(node) ? ["open"] : [];
  const isCall = ts.isCallExpression(node) && TAKES.has(node.expression.getText());
  return isCall ? [textOf(node.arguments[1])] : [];
}

function replacedModule(node) {
  if (!ts.isCallExpression(node) || !/^vi\.(?:do)?mock$/i.test(node.expression.getText())) return undefined;
  return `vi.mock(${node.arguments[0]?.getText() ?? ""})`;
}

/** Returns the title of the test that has the capability, as the call or a comment names it. */
function twinOf(node, lines, line) {
  if (ts.isCallExpression(node) && node.expression.getText() === "without") {
    return constantOf(node.arguments[2]);
  }
  return (lines[line].match(TWIN) ?? lines[line - 1]?.trim().match(TWIN))?.[1];
}

/** Returns the text of a string, or of the constant of this file that has it. */
function constantOf(node) {
  if (node === undefined || ts.isStringLiteralLike(node)) return node?.text;
  if (!ts.isIdentifier(node)) return undefined;
  let found;
  const visit = (one) => {
    const isIt = ts.isVariableDeclaration(one) && textOf(one.name) === node.text && one.initializer;
    if (isIt && ts.isStringLiteralLike(one.initializer)) found = one.initializer.text;
    ts.forEachChild(one, visit);
  };
  visit(node.getSourceFile());
  return found;
}

/** Returns the title of a test or of a group of tests; `undefined` for any other node. */
function titleOf(node) {
  if (!ts.isCallExpression(node) || !TITLED.test(node.expression.getText())) return undefined;
  const [title, ...rest] = node.arguments;
  return title !== undefined && ts.isStringLiteralLike(title) && rest.length > 0 ? title.text : undefined;
}

const parse = (file, text) => ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);

const isNothing = (node) => {
  if (node === undefined) return false;
  const value = ts.isAsExpression(node) || ts.isSatisfiesExpression(node) ? node.expression : node;
  return ts.isVoidExpression(value) || (ts.isIdentifier(value) && value.text === "undefined");
};

const textOf = (node) =>
  node !== undefined && (ts.isIdentifier(node) || ts.isStringLiteralLike(node)) ? node.text : undefined;

const memberOf = (node) =>
  ts.isPropertyAccessExpression(node) ? node.name.text : textOf(node.argumentExpression);

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
