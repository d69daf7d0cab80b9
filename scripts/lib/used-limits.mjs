import ts from "typescript";
import { LIMITS } from "./limits.mjs";

const HOME = "scripts/lib/limits.mjs";

/** Files that name limits without setting any. */
const OTHERS =
  /^(?:scripts\/lib\/(?:limits|promised-numbers|used-limits)\.|test\/(?:promised-numbers|used-limits)\.)/;

/** Checks whether a file may use a limit: it is a test, or a check. */
export const usesLimits = (path) =>
  /(?:^|\/)(?:test|scripts)\/.+\.(?:ts|tsx|mjs)$/.test(path) && !OTHERS.test(path);

/**
 * Finds limits that no test or check uses, and those that a test changes, e.g. `2 * LIMITS.core`. Either way,
 * the test would accept another number than docs/promises.md says. Limits may be added to each other.
 *
 * @param {ReadonlyMap<string, string>} files text by path: tests and checks
 * @param {Readonly<Record<string, number>>} limits
 * @returns {{ file: string, line: number, message: string }[]}
 */
export function findLooseLimits(files, limits = LIMITS) {
  const used = new Set();
  const problems = [];
  for (const [file, text] of files) {
    if (!text.includes("LIMITS.")) continue;
    const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
    const visit = (node) => {
      if (isLimit(node, limits)) {
        used.add(node.name.text);
        if (isChanged(node, limits)) {
          const line = source.getLineAndCharacterOfPosition(node.getStart()).line + 1;
          problems.push({ file, line, message: `changes the limit \`${node.name.text}\` of ${HOME}` });
        }
      }
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
  for (const name of Object.keys(limits)) {
    if (!used.has(name))
      problems.push({ file: HOME, line: 1, message: `no test uses the limit \`${name}\`` });
  }
  return problems;
}

const isLimit = (node, limits) =>
  ts.isPropertyAccessExpression(node) &&
  node.expression.getText() === "LIMITS" &&
  Object.hasOwn(limits, node.name.text);

/** Checks whether an expression calculates with a limit, other than adding another limit to it. */
function isChanged(node, limits) {
  const { parent } = node;
  if (ts.isParenthesizedExpression(parent) || ts.isAsExpression(parent)) return isChanged(parent, limits);
  if (ts.isPrefixUnaryExpression(parent)) return true;
  if (ts.isCallExpression(parent)) return parent.expression.getText().startsWith("Math.");
  if (!ts.isBinaryExpression(parent) || !CALCULATES.has(parent.operatorToken.kind)) return false;
  const other = parent.left === node ? parent.right : parent.left;
  const isSum = parent.operatorToken.kind === ts.SyntaxKind.PlusToken && isLimit(other, limits);
  return !isSum || isChanged(parent, limits);
}

const { SyntaxKind } = ts;
const CALCULATES = new Set([
  SyntaxKind.PlusToken,
  SyntaxKind.MinusToken,
  SyntaxKind.AsteriskToken,
  SyntaxKind.SlashToken,
  SyntaxKind.PercentToken,
  SyntaxKind.AsteriskAsteriskToken,
]);
