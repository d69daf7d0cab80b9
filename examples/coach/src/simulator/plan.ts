import type { Reply } from "@pawl/testing";
import { excerpt } from "./lines.ts";

/** One task of a plan, with the hour if the user named one. */
export interface Step {
  at?: string;
  what: string;
}

const HOUR = /\b(?:at|by|around|from)\s+(\d{1,2}(?:[:.]\d{2})?\s*(?:am|pm)?|noon|midday)\b/i;
const OPENING =
  /^(?:(?:and|then|also|first|next|after that|finally|later|today|tomorrow|maybe|so|well|ok|okay|yes|please|(?:help me )?plan (?:for )?(?:my day|the day|today)|i(?:'d| would) like to|i(?:'m| am) going to|i(?:'ll| will)|i (?:want|need|have|plan|hope) to|i must|i should|to)\b[\s,:]*)+/i;
const MOST = 6;

/** Splits the user's message into tasks, in shortened form. */
export function stepsOf(text: string): Step[] {
  return text
    .split(/\s*(?:[\n;,•]|\.\s|\bthen\b|\band\b)\s*/i)
    .map((part) => stepOf(part))
    .filter(({ what }) => what.length > 1)
    .slice(0, MOST);
}

function stepOf(part: string): Step {
  const at = HOUR.exec(part)?.[1];
  const what = part
    .replace(HOUR, "")
    .replace(OPENING, "")
    .replace(/[.!?\s]+$/, "")
    .replace(/\s+/g, " ")
    .trim();
  const named = what.charAt(0).toUpperCase() + what.slice(1);
  return at === undefined ? { what: named } : { at: hourOf(at), what: named };
}

function hourOf(at: string): string {
  return /^\d+$/.test(at) ? `${at}:00` : at.toLowerCase();
}

/** Checks whether a message contains a plan, even if the coach did not ask for one. */
export function looksLikePlan(text: string): boolean {
  return (
    /\b(today|plan|to-?do|schedule|this (?:morning|afternoon|evening))\b/i.test(text) &&
    stepsOf(text).length > 1
  );
}

/** Formats the plan as a file. */
export function planFile(steps: readonly Step[], said: string): string {
  const list = steps.map(({ at, what }) => `- [ ] ${at === undefined ? "" : `**${at}** · `}${what}`);
  return ["# Plan for the day", "", ...list, "", "## In your words", "", quote(said)].join("\n");
}

/**
 * Creates the reply that saves two files in one turn: the plan, and a note on what the plan shows about the
 * user.
 */
export function savePlan(said: string): Reply {
  const steps = stepsOf(said);
  const first = steps[0]?.what ?? said;
  return {
    thinking: `There are ${steps.length} things in this. The first one is usually what matters; the plan should say so without burying it. I save it before I answer.`,
    text: "Let me put that in order.",
    tools: [
      {
        name: "save_file",
        input: {
          file_type: "day-plan",
          content: planFile(steps, said),
          attributes: {
            preview_line: excerpt(first, 80),
            domains_touched: ["day"],
            intention: excerpt(first, 80),
            priorities: steps.slice(0, 3).map(({ what }) => what.slice(0, 200)),
          },
        },
      },
      {
        name: "save_file",
        input: {
          file_type: "sage-context",
          content: `# What to know next time\n\n- Named first when planning: ${excerpt(first, 100)}\n- Things planned: ${steps.length}\n`,
        },
      },
    ],
  };
}

/** Describes the plan in the coach's words. */
export function planSummary(steps: readonly Step[]): string {
  const [first, ...rest] = steps;
  if (first === undefined) return "Your plan is saved. What would make today a good one?";
  const rows = steps.map(
    ({ at, what }, n) => `| ${at ?? ["First", "Then", "Later"][n] ?? "If there is room"} | ${cell(what)} |`,
  );
  const kept =
    rest.length === 0
      ? "One thing, and nothing around it."
      : `${count(steps.length)} things, in the order you named them.`;
  return [
    "## Your day",
    "",
    `It is in your notes. ${kept}`,
    "",
    "| When | What |",
    "| --- | --- |",
    ...rows,
    "",
    `If only one of them happens, let it be **${lower(first.what)}**.`,
    "",
    "Two small promises help a plan survive the morning:",
    "",
    "1. Decide *when* the first one starts, to the minute.",
    "2. Decide what you will **not** do before it.",
    "",
    "What could get in the way of that?",
  ].join("\n");
}

/** Formats a text as a Markdown quotation. */
export function quote(text: string): string {
  return text
    .trim()
    .split("\n")
    .map((line) => `> ${line}`)
    .join("\n");
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|");
}

function lower(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

function count(n: number): string {
  return ["No", "One", "Two", "Three", "Four", "Five", "Six"][n] ?? String(n);
}
