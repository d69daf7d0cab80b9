// Finds the code blocks of doc comments and Markdown pages.
import { glob, readFile } from "node:fs/promises";
import { join } from "node:path";

/** The pages and sources whose code blocks are tested. */
const PLACES = [
  "README.md",
  "docs/**/*.md",
  "packages/*/README.md",
  "examples/*/README.md",
  "{packages,examples}/*/src/**/*.{ts,tsx}",
];

/**
 * How a block is tested, by the word after its language:
 *
 * - no word: it is run to its end;
 * - `continues`: it is run, as the continuation of the blocks above it;
 * - `compile`: it is type-checked;
 * - `fragment`: it is not tested.
 */
type Mode = "run" | "continues" | "compile" | "fragment";

/** A program that the docs show. */
export interface Snippet {
  title: string;
  /** The path of the page or source. */
  path: string;
  /** Whether it is run, and not only type-checked. */
  runs: boolean;
  /** A file name that is unique among the snippets. */
  name: string;
  code: string;
}

interface Block {
  language: string;
  mode: string;
  code: string;
}

const FENCE = /^```(\w*)(?: ([^\n]*))?\n([\s\S]*?)\n```$/gm;
const FENCE_IN_COMMENT = / \* ```(\w*)(?: ([^\n]*))?\n([\s\S]*?)\n \* ```/g;

/** Returns the code blocks of a text; those of doc comments without asterisks. */
function blocksOf(text: string, isPage: boolean): Block[] {
  return [...text.matchAll(isPage ? FENCE : FENCE_IN_COMMENT)].map(
    ([, language = "", mode = "", code = ""]) => ({
      language,
      mode,
      code: isPage ? code : code.replace(/^ \* ?/gm, ""),
    }),
  );
}

/** Returns the snippets of a page or source. Throws for a block whose fence says nothing that is known. */
export function snippetsOf(path: string, text: string): Snippet[] {
  const snippets: Snippet[] = [];
  let above: string | undefined;
  for (const { language, mode, code } of blocksOf(text, path.endsWith(".md"))) {
    if (!/^([jt]sx?|javascript|typescript)$/.test(language)) continue;
    const title = `${path}, example ${snippets.length + 1}`;
    const how = modeOf(title, language, mode);
    if (how === "fragment") continue;
    if (how === "continues" && above === undefined) throw new Error(`${title} has nothing to continue.`);
    const program = how === "continues" ? `${above}\n\n${code}` : code;
    if (how !== "compile") above = program;
    const name = `${path.replaceAll(/[^a-z0-9]+/gi, "-")}-${snippets.length}.${language}`;
    snippets.push({ title, path, name, code: program, runs: how !== "compile" });
  }
  return snippets;
}

function modeOf(title: string, language: string, mode: string): Mode {
  if (mode === "fragment") return mode;
  if (language !== "ts" && language !== "tsx") throw new Error(`${title} is not checked: write it in ts.`);
  if (mode === "compile") return mode;
  if (language === "tsx") throw new Error(`${title} cannot be run: mark it "tsx compile".`);
  if (mode === "") return "run";
  if (mode === "continues") return mode;
  throw new Error(`${title} is marked "${mode}"; use continues, compile or fragment.`);
}

/** Returns all snippets of the project. */
export async function allSnippets(root: string): Promise<Snippet[]> {
  const paths = (await Array.fromAsync(glob(PLACES, { cwd: root }))).sort();
  const found = paths.map(async (path) => snippetsOf(path, await readFile(join(root, path), "utf8")));
  return (await Promise.all(found)).flat();
}

/**
 * Returns the pieces of text that a program should print, in order: the comments after its calls of
 * `console.log`. `…` stands for any text.
 */
export function printedBy(code: string): string[] {
  return [...code.matchAll(/^.*console\.log\(.*\);? \/\/ (.*)$/gm)].flatMap(([, said = ""]) =>
    said.split("…").map(oneLine).filter(Boolean),
  );
}

/** Returns whether a text contains the pieces in this order. White space does not matter. */
export function containsInOrder(text: string, pieces: readonly string[]): boolean {
  const all = oneLine(text);
  let at = 0;
  return pieces.every((piece) => {
    const found = all.indexOf(piece, at);
    at = found + piece.length;
    return found >= 0;
  });
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, " ").trim();
