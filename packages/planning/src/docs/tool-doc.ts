import { checkOptions, PawlError } from "@pawl/core";
import { marked, type Token, type Tokens } from "marked";

/** The description of a tool, one section of the file. */
export interface ToolDoc {
  /** The tool's name: the section's heading. */
  tool: string;
  summary: string;
  /** The parameters, each with its type as the file names it, e.g. `string`. */
  parameters: { name: string; type: string | undefined; required: boolean; description: string }[];
  /** The inputs in the section's examples. */
  examples: unknown[];
  /** The whole section as Markdown, for a prompt. */
  text: string;
}

/**
 * Parses the descriptions of tools from one Markdown file. Call it when the program starts: it throws if the
 * file is wrong.
 *
 * Each heading of the second level (`## search`) is the name of a tool. Its section has a list with
 * `Summary: …`, `Parameters:` with a nested list, and `Example:` with JSON as code. Other lists and texts are
 * only in `text`.
 *
 * @throws PawlError `config`. The message lists all problems.
 *
 * @example
 * ```ts
 * import { parseToolDocs } from "@pawl/planning";
 *
 * const [gmail] = parseToolDocs(`
 * ## search_gmail
 * - Summary: Searches the mail.
 * - Parameters:
 *   - query (string, required) – what to look for
 *   - from (string, optional)
 * - Example: \`{ "query": "Q4 forecast" }\`
 * `);
 * console.log(gmail?.summary); // Searches the mail.
 * console.log(gmail?.parameters.map(({ name }) => name)); // [ 'query', 'from' ]
 * ```
 */
export function parseToolDocs(markdown: string): ToolDoc[] {
  checkOptions("parseToolDocs()", { markdown }, { markdown: "string!" });
  const problems: string[] = [];
  const docs = sectionsOf(markdown).map((section) => docOf(section, problems));
  const names = new Set<string>();
  for (const { tool } of docs) {
    if (names.has(tool)) problems.push(`"${tool}" is described twice.`);
    names.add(tool);
  }
  if (docs.length === 0)
    problems.push("There is no section: begin each tool with a heading, e.g. ## search.");
  if (problems.length > 0)
    // biome-ignore lint/plugin: the developer reads all mistakes in the app's own document.
    throw new PawlError("config", `The tool descriptions are not valid. ${problems.join(" ")}`);
  return docs;
}

interface Section {
  tool: string;
  tokens: Token[];
  text: string;
}

function sectionsOf(markdown: string): Section[] {
  const sections: Section[] = [];
  for (const token of marked.lexer(markdown.toWellFormed().replace(/^\uFEFF/, ""))) {
    const heading = token.type === "heading" ? (token as Tokens.Heading) : undefined;
    if (heading !== undefined && heading.depth <= 2) {
      if (heading.depth === 2)
        sections.push({
          tool: heading.text.replaceAll("`", "").trim(),
          tokens: [],
          text: token.raw.trimEnd(),
        });
      // A title of the file ends the section before it.
      else sections.push({ tool: "", tokens: [], text: "" });
      continue;
    }
    const last = sections.at(-1);
    if (last === undefined) continue;
    last.tokens.push(token);
    last.text += `\n${token.raw.trimEnd()}`;
  }
  return sections
    .filter(({ tool }) => tool !== "")
    .map((one) => ({ ...one, text: one.text.replace(/\n{2,}/g, "\n") }));
}

const ENTRY = /^\**(summary|parameters|examples?)\**\s*:\**\s*/i;

function docOf({ tool, tokens, text }: Section, problems: string[]): ToolDoc {
  const doc: ToolDoc = { tool, summary: "", parameters: [], examples: [], text };
  const items = tokens.flatMap((token) => (token.type === "list" ? (token as Tokens.List).items : []));
  for (const item of items) {
    const words = ownText(item);
    const kind = ENTRY.exec(words)?.[1]?.toLowerCase();
    if (kind === "summary") doc.summary = words.replace(ENTRY, "").trim();
    else if (kind === "parameters") doc.parameters = parametersIn(item, tool, problems);
    else if (kind !== undefined) doc.examples.push(...examplesIn(item.tokens, tool, problems));
  }
  if (doc.summary === "") problems.push(`"${tool}" has no summary: add "- Summary: …".`);
  return doc;
}

/** Returns the text of a list's entry without nested lists and blocks of code. */
function ownText({ tokens }: Tokens.ListItem): string {
  const own = tokens.filter(({ type }) => type === "text" || type === "paragraph");
  return own.map((token) => (token as Tokens.Text).text).join("\n");
}

const PARAMETER = /^`?([\w.-]+)`?(?:\s*\(([^)]*)\))?\s*(?:[–—:-]\s*)?(.*)$/s;

function parametersIn(item: Tokens.ListItem, tool: string, problems: string[]): ToolDoc["parameters"] {
  const lists = item.tokens.filter(({ type }) => type === "list") as Tokens.List[];
  const entries = lists.flatMap(({ items }) => items.map(ownText));
  return entries.flatMap((entry) => {
    const found = PARAMETER.exec(entry.trim());
    if (found === null) {
      problems.push(`A parameter of "${tool}" cannot be read: "${entry.slice(0, 60)}".`);
      return [];
    }
    const [, name = "", facts = "", description = ""] = found;
    const words = facts.split(",").map((word) => word.trim().toLowerCase());
    const type = words.find((word) => word !== "" && word !== "required" && word !== "optional");
    return [{ name, type, required: words.includes("required"), description: description.trim() }];
  });
}

function examplesIn(tokens: readonly Token[], tool: string, problems: string[]): unknown[] {
  return tokens.flatMap((token): unknown[] => {
    if (token.type === "code" || token.type === "codespan")
      return jsonIn(token as Tokens.Code, tool, problems);
    return "tokens" in token ? examplesIn(token.tokens ?? [], tool, problems) : [];
  });
}

function jsonIn({ text }: Tokens.Code | Tokens.Codespan, tool: string, problems: string[]): unknown[] {
  try {
    return [JSON.parse(text)];
  } catch {
    problems.push(`An example of "${tool}" is not JSON: ${text.slice(0, 60)}`);
    return [];
  }
}
