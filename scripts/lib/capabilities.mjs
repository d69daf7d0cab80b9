import ts from "typescript";
import { constantOf, takenAway } from "./taken-away.mjs";

/** The file whose functions take capabilities away, and which therefore may. */
export const SUPPORT = "test/support/each-way.ts";

/** The sources that declare what production may have: optional methods of a store, and parts of a runtime. */
export const PORTS = [
  { file: "packages/core/src/log/store/event-store.ts", name: "EventStore" },
  {
    file: "packages/core/src/runtime/begin/runtime-types.ts",
    name: "RuntimeSettings",
    types: /^(?:BlobStore|Engine|FileStore|LiveTail)$/,
  },
];

const TITLED = /^(?:it|test|describe)\b/;
const SKIPPED = /\.(?:skip|todo)\b(?!If)/;
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

/** Returns the title of the test that has the capability, as the call or a comment names it. */
function twinOf(node, lines, line) {
  if (ts.isCallExpression(node) && node.expression.getText() === "without") {
    return constantOf(node.arguments[2]);
  }
  return (lines[line].match(TWIN) ?? lines[line - 1]?.trim().match(TWIN))?.[1];
}

/** Returns the title of a test or of a group of tests; `undefined` for any other node. */
function titleOf(node) {
  if (!ts.isCallExpression(node)) return undefined;
  const called = node.expression.getText();
  if (!TITLED.test(called) || SKIPPED.test(called)) return undefined;
  const [title, ...rest] = node.arguments;
  return title !== undefined && ts.isStringLiteralLike(title) && rest.length > 0 ? title.text : undefined;
}

const parse = (file, text) => ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
