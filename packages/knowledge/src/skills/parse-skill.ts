import { checkOptions, messageOf, type OptionKinds, PawlError } from "@pawl/core";
import { parse } from "yaml";
import type { Skill } from "./skill.ts";

/** Options of `parseSkill()`. */
export interface ParseSkillOptions {
  /**
   * The names of all tools of the agent. A skill that names another tool is refused. Default: tool names are
   * not checked.
   */
  tools?: readonly string[];
}

/** The kinds of the options of `parseSkill()` and `loadSkills()`. */
export const PARSE_SKILL: OptionKinds<ParseSkillOptions> = { tools: "list" };

/** The headings of each section, in lower case. */
const SECTIONS = {
  goal: ["goal"],
  whenToUse: ["when to use"],
  contextNeeded: ["context needed"],
  tools: ["tools", "tools to use"],
  constraints: ["constraints"],
  guidance: ["guidance"],
} as const;

type Section = keyof typeof SECTIONS;

const NAME = /^[a-zA-Z0-9_-]{1,64}$/;

/**
 * Parses a skill from Markdown.
 *
 * - Required sections: `## Goal`, `## When to use`, `## Context needed`, `## Tools`, `## Constraints` and `##
 *   Guidance`. Each must have text. Further sections are allowed.
 * - `## Tools` is a list whose entries begin with a tool's name, or "None".
 * - Optional front matter: `summary` (one line; default: the first line of the goal) and `keywords` (a list).
 *
 * @throws PawlError `config` if the text is invalid. The message lists all problems.
 *
 * @example
 * ```ts
 * import { parseSkill } from "@pawl/knowledge";
 *
 * const skill = parseSkill(`---
 * keywords: [decide, dilemma]
 * ---
 * # Decision helper
 * ## Goal
 * A decision by what matters to the user.
 * ## When to use
 * They are torn between options.
 * ## Context needed
 * Values and goals.
 * ## Tools
 * - \`show_options\`: two to four of them
 * ## Constraints
 * Never decide for them.
 * ## Guidance
 * - Ask what each option would cost.
 * `, "decision_helper");
 * console.log(skill.summary, skill.tools); // A decision by what matters to the user. [ "show_options" ]
 * ```
 */
export function parseSkill(text: string, name: string, options: ParseSkillOptions = {}): Skill {
  checkOptions("parseSkill()", { text, name }, { text: "string!", name: "string!" });
  checkOptions("parseSkill()", options, PARSE_SKILL);
  const { tools: known } = options;
  if (!NAME.test(name)) {
    throw new PawlError(
      "config",
      `"${name}" is not a valid name for a skill: use 1 to 64 letters, digits, _ and -.`,
    );
  }
  const problems: string[] = [];
  const lines = text
    .toWellFormed()
    .replace(/^\uFEFF/, "")
    .replaceAll("\r\n", "\n")
    .split("\n");
  const { head, body } = partsOf(lines, problems);
  const { summary, keywords } = readHead(head, problems);
  const sections = sectionsOf(body, problems);
  const tools = toolsIn(sections.tools ?? "");
  const strange = known === undefined ? [] : tools.filter((tool) => !known.includes(tool));
  if (strange.length > 0) problems.push(`there is no tool ${strange.map(quoted).join(", ")}`);
  if (problems.length > 0) {
    // biome-ignore lint/plugin: the developer reads all mistakes in the app's own skill.
    throw new PawlError("config", `The skill "${name}" cannot be used: ${problems.join("; ")}.`);
  }
  const { goal = "", whenToUse = "", contextNeeded = "", constraints = "", guidance = "" } = sections;
  return {
    ...{ name, summary: lineOf(summary ?? firstLine(goal)), keywords },
    ...{ goal, whenToUse, contextNeeded, tools, constraints, guidance },
    text: body.join("\n").trim(),
  };
}

/** Splits the front matter, which is between two lines of dashes at the beginning, from the rest. */
function partsOf(lines: readonly string[], problems: string[]): { head: string; body: readonly string[] } {
  if (lines[0]?.trimEnd() !== "---") return { head: "", body: lines };
  const end = lines.findIndex((line, at) => at > 0 && line.trimEnd() === "---");
  if (end !== -1) return { head: lines.slice(1, end).join("\n"), body: lines.slice(end + 1) };
  problems.push("its front matter has no closing ---");
  return { head: "", body: lines };
}

function readHead(head: string, problems: string[]): { summary: string | undefined; keywords: string[] } {
  const fields = asMap(head, problems);
  const { summary, keywords = [] } = fields;
  if (summary !== undefined && (typeof summary !== "string" || summary.trim() === ""))
    problems.push("its summary must be a text that is not blank");
  const words = Array.isArray(keywords) ? keywords.filter((word) => typeof word === "string") : [];
  const isList = Array.isArray(keywords) && words.length === keywords.length;
  if (!isList || words.some((word) => word.trim() === ""))
    problems.push("its keywords must be a list of words");
  return { summary: typeof summary === "string" ? summary : undefined, keywords: words };
}

function asMap(head: string, problems: string[]): { [field: string]: unknown } {
  try {
    const fields: unknown = parse(head, { logLevel: "error", maxAliasCount: 0 }) ?? {};
    if (typeof fields === "object" && !Array.isArray(fields)) return { ...fields };
    problems.push("its front matter must be a map of fields");
  } catch (error) {
    problems.push(`its front matter is not valid YAML (${messageOf(error).split("\n")[0]})`);
  }
  return {};
}

/** Splits the text into its sections. Headings inside code fences do not count. */
function sectionsOf(lines: readonly string[], problems: string[]): { [section in Section]?: string } {
  const found = new Map<string, string[]>();
  let current: string[] | undefined;
  let fence: string | undefined;
  for (const line of lines) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence === undefined) fence = mark;
    else if (mark?.startsWith(fence) && line.trim() === mark) fence = undefined;
    const heading = fence === undefined ? headingIn(line) : undefined;
    if (heading === undefined) {
      current?.push(line);
      continue;
    }
    const section = sectionNamed(heading) ?? heading;
    if (found.has(section)) problems.push(`the section ${quoted(heading)} occurs twice`);
    current = [];
    found.set(section, current);
  }
  const entries = Object.entries(SECTIONS).map(([section, [title]]) => {
    const text = found.get(section)?.join("\n").trim();
    if (!text) problems.push(`the section ${quoted(title)} is ${text === undefined ? "missing" : "empty"}`);
    return [section, text];
  });
  return Object.fromEntries(entries);
}

/** Returns the title of a heading, in lower case and without the marks after it. */
function headingIn(line: string): string | undefined {
  if (!/^##\s+\S/.test(line)) return undefined;
  let end = line.length;
  while (/[\s#]/.test(line.charAt(end - 1))) end -= 1;
  return line.slice(2, end).trim().toLowerCase();
}

function sectionNamed(heading: string): Section | undefined {
  const sections = Object.keys(SECTIONS) as Section[];
  return sections.find((section) => (SECTIONS[section] as readonly string[]).includes(heading));
}

/** Returns the names with which the entries of a list begin, with or without backticks. */
function toolsIn(section: string): string[] {
  const names = section.matchAll(/^[^\S\n]*[-*+]\s+[*_]*`?([a-zA-Z0-9_-]+)`?/gm);
  const tools = [...names].map((match) => match[1] ?? "").filter((tool) => tool.toLowerCase() !== "none");
  return [...new Set(tools)];
}

function firstLine(text: string): string {
  return text.split("\n").find((line) => line.trim() !== "") ?? "";
}

const MAX_SUMMARY = 200;

function lineOf(text: string): string {
  return text.replace(/\s+/g, " ").trim().slice(0, MAX_SUMMARY).toWellFormed();
}

function quoted(text: string): string {
  return `"${text}"`;
}
