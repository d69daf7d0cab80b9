import ts from "typescript";

/** The folder with a page per word. */
export const FOLDER = "docs/errors";
/** The page that lists all words. */
export const INDEX = `${FOLDER}/README.md`;
/** The page that leads from a stop type to the function that decides it. */
export const WHY = "docs/why-it-ended.md";

/**
 * The kinds of words that have pages. `type` is the union in `file` that has the words. `section` is the
 * heading of the kind on a page, and `table` is that in the index.
 */
export const KINDS = [
  {
    file: "packages/core/src/base/errors.ts",
    type: "PawlErrorCode",
    section: "Error code",
    table: "Error codes",
  },
  {
    file: "packages/core/src/log/stop-reason.ts",
    type: "StopType",
    section: "Stop type",
    table: "Stop types",
  },
  {
    file: "packages/sse/src/request/wire-error.ts",
    type: "WireErrorCode",
    section: "Wire code",
    table: "Wire codes",
  },
];

/** The headings of a kind's section, in this order. */
const HEADINGS = ["What happened", "Causes and remedies", "What the user sees", "Retry", "Example"];

/**
 * Returns the string literals of a union type, in their order.
 *
 * @throws Error if the text does not declare the type, or the type has no string literals
 */
export function wordsOf(text, type) {
  const source = ts.createSourceFile("types.ts", text, ts.ScriptTarget.Latest, true);
  const alias = source.statements.filter(ts.isTypeAliasDeclaration).find(({ name }) => name.text === type);
  if (alias === undefined || !ts.isUnionTypeNode(alias.type)) throw new Error(`There is no union ${type}.`);
  const words = alias.type.types.flatMap((one) =>
    ts.isLiteralTypeNode(one) && ts.isStringLiteral(one.literal) ? [one.literal.text] : [],
  );
  if (words.length === 0) throw new Error(`The union ${type} has no words.`);
  return words;
}

/**
 * Compares the pages about errors with the types of the sources: each word has a page with all headings, each
 * page has a word, the index lists each word once, and stop types and `docs/why-it-ended.md` link to each
 * other.
 *
 * @param {ReadonlyMap<string, string>} pages text by path: the folder's pages, its index, and `WHY`
 * @param {ReadonlyMap<string, string>} sources text by path: the files of `KINDS`
 * @returns {{ file: string, message: string }[]}
 */
export function findWrongErrorPages(pages, sources) {
  const words = new Map(KINDS.map((kind) => [kind, wordsOf(sources.get(kind.file), kind.type)]));
  const kindsOf = (word) => KINDS.filter((kind) => words.get(kind).includes(word));
  const all = [...new Set([...words.values()].flat())];
  const problems = all.flatMap((word) => wrongPage(word, kindsOf(word), pages));
  for (const file of pages.keys()) {
    const word = file.match(/^docs\/errors\/(.+)\.md$/)?.[1];
    if (word !== undefined && file !== INDEX && !all.includes(word))
      problems.push({ file, message: `"${word}" is neither an error code, a stop type nor a wire code` });
  }
  for (const [kind, ofKind] of words) problems.push(...wrongTable(kind, ofKind, pages.get(INDEX) ?? ""));
  return problems;
}

function wrongPage(word, kinds, pages) {
  const file = `${FOLDER}/${word}.md`;
  const text = pages.get(file);
  if (text === undefined) return [{ file, message: "there is no such page" }];
  const problems = [];
  if (!text.startsWith(`# \`${word}\`\n`)) problems.push(`must begin with the heading "# \`${word}\`"`);
  const sections = text.split(/^## /m).slice(1);
  const found = sections.map((section) => section.split("\n")[0]);
  const wanted = kinds.map(({ section }) => section);
  if (found.join() !== wanted.join())
    problems.push(`must have the sections ${wanted.join(", ")}; has ${found.join(", ") || "none"}`);
  for (const section of sections) problems.push(...wrongSection(section));
  if (wanted.includes("Stop type")) {
    if (!text.includes("](../why-it-ended.md")) problems.push(`must link to ${WHY}`);
    if (!(pages.get(WHY) ?? "").includes(`](errors/${word}.md)`))
      problems.push(`${WHY} must link to this page`);
  }
  return problems.map((message) => ({ file, message }));
}

function wrongSection(section) {
  const [title = "", ...parts] = section.split(/^### /m);
  const name = title.split("\n")[0];
  const found = parts.map((part) => part.split("\n")[0]);
  if (found.join() !== HEADINGS.join())
    return [`"${name}" must have the headings ${HEADINGS.join(", ")}; has ${found.join(", ") || "none"}`];
  return parts.flatMap((part) => {
    const [heading = "", ...lines] = part.split("\n");
    const body = lines.join("\n").trim();
    if (body === "") return [`"${heading}" of "${name}" is empty`];
    if (heading === "Causes and remedies" && !/^- /m.test(body)) return [`"${name}" must list its causes`];
    if (heading === "Example" && !/^```/m.test(body))
      return [`"${name}" must have an example as a block of code`];
    return [];
  });
}

function wrongTable({ table }, words, index) {
  const section = index.split(/^## /m).find((part) => part.startsWith(`${table}\n`)) ?? "";
  const listed = [...section.matchAll(/^\| \[`(\w+)`\]\((\w+)\.md\)/gm)].map(([, word, page]) =>
    word === page ? word : `${word} with a link to ${page}`,
  );
  const missing = words
    .filter((word) => !listed.includes(word))
    .map((word) => `"${table}" must list ${word}`);
  const others = listed
    .filter((word, at) => !words.includes(word) || listed.indexOf(word) !== at)
    .map((word) => `"${table}" must not list ${word}, or not twice`);
  return [...missing, ...others].map((message) => ({ file: INDEX, message }));
}
