import ts from "typescript";
import { PLAIN_WORDS } from "./plain-words.mjs";

/** A word in the names of so many public types and functions is one that users meet. */
const OFTEN = 3;

const GLOSSARY = "docs/glossary.md";

/**
 * Returns the words of all public names and of their members and parameters, e.g. `lease`, `ttl` and `ms` of
 * `leaseTtlMs`. Each has the public names in which it occurs. Bodies, private and `@internal` members do not
 * count.
 *
 * @param {ts.Program} program
 * @param {readonly string[]} doors paths of the files that are entries of packages
 * @param {(file: string) => boolean} isOurs whether a file belongs to the packages' sources
 * @returns {Map<string, Set<string>>}
 */
export function publicWords(program, doors, isOurs) {
  const checker = program.getTypeChecker();
  const original = (symbol) =>
    symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  const found = new Map();
  for (const door of doors) {
    const exported = checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(door)));
    for (const { name, declarations = [] } of exported.map(original)) {
      const ours = declarations.filter((node) => isOurs(node.getSourceFile().fileName));
      for (const word of ours.flatMap((node) => [name, ...membersIn(node)]).flatMap(wordsOf)) {
        found.set(word, (found.get(word) ?? new Set()).add(name));
      }
    }
  }
  return found;
}

/**
 * Finds words that users often meet in public names, and that neither the glossary explains nor the list of
 * plain words has. Also finds plain words that no public name has any more, and those that the glossary has
 * too.
 *
 * @param {ReadonlyMap<string, ReadonlySet<string>>} words as {@link publicWords} returns them
 * @param {string} glossary the text of docs/glossary.md
 * @param {ReadonlySet<string>} plain
 * @returns {string[]}
 */
export function findUnexplainedWords(words, glossary, plain = PLAIN_WORDS) {
  const explained = new Set(glossary.split("\n").flatMap(termsIn).flatMap(wordsOf));
  const unexplained = [...words].flatMap(([word, names]) => {
    if (names.size < OFTEN || explained.has(word) || plain.has(word)) return [];
    const some = [...names].slice(0, OFTEN).join(", ");
    return [
      `${GLOSSARY}:1: does not explain "${word}", which is in ${some}; plain words are in plain-words.mjs`,
    ];
  });
  const needless = [...plain].flatMap((word) => {
    if (explained.has(word)) return [`scripts/lib/plain-words.mjs:1: "${word}" is in the glossary`];
    return words.has(word) ? [] : [`scripts/lib/plain-words.mjs:1: "${word}" is in no public name`];
  });
  return [...unexplained, ...needless];
}

/** Returns what a row of the glossary explains: its first cell, without the link. */
function termsIn(line) {
  const [, cell] = /^\| (.+?) \|/.exec(line) ?? [];
  return cell === undefined ? [] : [cell.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")];
}

const wordsOf = (name) =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter(Boolean)
    .map((word) => (/^\w{2,}[^sui]s$/.test(word) ? word.slice(0, -1) : word));

/** Yields the names of members and parameters in a declaration. */
function* membersIn(node) {
  if (ts.isBlock(node) || isHidden(node)) return;
  const isMember =
    ts.isPropertySignature(node) ||
    ts.isMethodSignature(node) ||
    ts.isPropertyDeclaration(node) ||
    ts.isMethodDeclaration(node) ||
    ts.isParameter(node);
  if (isMember && ts.isIdentifier(node.name)) yield node.name.text;
  for (const child of childrenOf(node)) {
    if (child !== node.initializer) yield* membersIn(child);
  }
}

function isHidden(node) {
  if (ts.isPrivateIdentifier(node.name ?? node)) return true;
  return ts.getJSDocTags(node).some(({ tagName }) => tagName.text === "internal");
}

function childrenOf(node) {
  const children = [];
  ts.forEachChild(node, (child) => {
    children.push(child);
  });
  return children;
}
