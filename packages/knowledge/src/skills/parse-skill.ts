import { messageOf, PawlError } from "@pawl/core";
import { parse } from "yaml";
import type { Skill } from "./skill.ts";

/** Options of `parseSkill()`. */
export interface ParseSkillOptions {
  /** The names of the tools that there are; a skill that names another one is refused. */
  tools?: readonly string[];
}

/** The sections by the headings that they may have. */
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
 * Reads a skill: Markdown with the sections `## Goal`, `## When to use`, `## Context needed`, `## Tools` (a
 * list that begins each entry with a tool's name, or "None"), `## Constraints` and `## Guidance`, each with
 * something in it; others may stand beside them. A front matter may say `summary` (a line; the goal's first
 * one when absent) and `keywords` (a list).
 *
 * @throws PawlError `config` that says everything that is wrong with the file.
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
export function parseSkill(text: string, name: string, { tools: known }: ParseSkillOptions = {}): Skill {
  if (!NAME.test(name)) {
    throw new PawlError(
      "config",
      `"${name}" is no name for a skill: 1 to 64 letters, digits, _ and - are allowed.`,
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
    throw new PawlError("config", `The skill "${name}" cannot be used: ${problems.join("; ")}.`);
  }
  const { goal = "", whenToUse = "", contextNeeded = "", constraints = "", guidance = "" } = sections;
  return {
    ...{ name, summary: lineOf(summary ?? firstLine(goal)), keywords },
    ...{ goal, whenToUse, contextNeeded, tools, constraints, guidance },
    text: body.join("\n").trim(),
  };
}

/** What stands between two lines of dashes at the beginning, and the rest. */
function partsOf(lines: readonly string[], problems: string[]): { head: string; body: readonly string[] } {
  if (lines[0]?.trimEnd() !== "---") return { head: "", body: lines };
  const end = lines.findIndex((line, at) => at > 0 && line.trimEnd() === "---");
  if (end !== -1) return { head: lines.slice(1, end).join("\n"), body: lines.slice(end + 1) };
  problems.push("its front matter does not end");
  return { head: "", body: lines };
}

function readHead(head: string, problems: string[]): { summary: string | undefined; keywords: string[] } {
  const fields = asMap(head, problems);
  const { summary, keywords = [] } = fields;
  if (summary !== undefined && (typeof summary !== "string" || summary.trim() === ""))
    problems.push("its summary is no text");
  const words = Array.isArray(keywords) ? keywords.filter((word) => typeof word === "string") : [];
  const isList = Array.isArray(keywords) && words.length === keywords.length;
  if (!isList || words.some((word) => word.trim() === "")) problems.push("its keywords are no list of words");
  return { summary: typeof summary === "string" ? summary : undefined, keywords: words };
}

function asMap(head: string, problems: string[]): { [field: string]: unknown } {
  try {
    const fields: unknown = parse(head, { logLevel: "error", maxAliasCount: 0 }) ?? {};
    if (typeof fields === "object" && !Array.isArray(fields)) return { ...fields };
    problems.push("its front matter is no list of fields");
  } catch (error) {
    problems.push(`its front matter is no YAML (${messageOf(error).split("\n")[0]})`);
  }
  return {};
}

/** The sections by their headings. What looks like a heading inside a fence is none. */
function sectionsOf(lines: readonly string[], problems: string[]): { [section in Section]?: string } {
  const found = new Map<string, string[]>();
  let current: string[] | undefined;
  let fence: string | undefined;
  for (const line of lines) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence === undefined) fence = mark;
    else if (mark?.startsWith(fence) && line.trim() === mark) fence = undefined;
    const heading = fence === undefined ? /^##\s+(.+?)[\s#]*$/.exec(line)?.[1]?.toLowerCase() : undefined;
    if (heading === undefined) {
      current?.push(line);
      continue;
    }
    const section = sectionNamed(heading) ?? heading;
    if (found.has(section)) problems.push(`the section ${quoted(heading)} is there twice`);
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

function sectionNamed(heading: string): Section | undefined {
  const sections = Object.keys(SECTIONS) as Section[];
  return sections.find((section) => (SECTIONS[section] as readonly string[]).includes(heading));
}

/** Each entry of the list begins with a name, in backticks or not. */
function toolsIn(section: string): string[] {
  const names = section.matchAll(/^\s*[-*+]\s+[*_]*`?([a-zA-Z0-9_-]+)`?/gm);
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
