import type { JsonObject } from "@pawl/core";
import type { Reply } from "@pawl/testing";
import { tagsIn } from "./scene.ts";

const SOURCES = [
  {
    tool: "search_gmail",
    title: "Search the mail",
    when: /\b(mail|wrote|says?|said|thinks?|agreed|decided)\b/i,
  },
  { tool: "search_slack", title: "Search the chat", when: /\b(slack|chat|channel|says?|said|thinks?)\b/i },
  { tool: "search_calendar", title: "Search the calendar", when: /\b(when|meetings?|calendar|room)\b/i },
  {
    tool: "search_drive",
    title: "Search the files",
    when: /\b(files?|sheet|plan|report|forecast|budget|how (much|many))\b/i,
  },
];

/** Plays the planner: asks which person is meant, and plans a search of each source that fits the message. */
export function planFor(prompt: string): Reply {
  const tags = new Map(tagsIn(prompt));
  const message = tags.get("Message") ?? "";
  const name = tags.has("Clarifications") ? undefined : sharedName(tags.get("Facts") ?? "", message);
  if (name !== undefined)
    return plan(message, [], {
      status: "needs_clarification",
      question: { text: `Which ${name} do you mean?`, about: name, choices: [] },
    });
  if (/^\W*(hi|hello|hey|thanks|thank you|bye)\b.{0,20}$/i.test(message)) return plan(message, []);
  const fitting = SOURCES.filter(({ when }) => when.test(message));
  const chosen = fitting.length > 0 ? fitting : SOURCES;
  const searches = chosen.map(({ tool, title }) => ({ id: tool.replace("search_", ""), title, tool }));
  const sum = { id: "answer", title: "Answer with citations", depends_on: searches.map(({ id }) => id) };
  return plan(message, [...searches, sum]);
}

function plan(message: string, tasks: JsonObject[], more: JsonObject = {}): Reply {
  const goal = message.slice(0, 200) || "Answer the user";
  return { tools: [{ name: "write_plan", input: { goal, tasks, status: "ok", ...more } }] };
}

/** A first or last name in the message that several people have; `undefined` if a full name is there, too. */
function sharedName(facts: string, message: string): string | undefined {
  for (const [, word = "", people = ""] of facts.matchAll(/^- People called "([^"]+)": (.*)$/gm)) {
    const all = people.split("; ");
    const isWhole = all.some((one) =>
      message.toLowerCase().includes(one.split(" <")[0]?.toLowerCase() ?? "?"),
    );
    if (all.length > 1 && !isWhole)
      return message.split(/[^\p{L}]+/u).find((one) => one.toLowerCase() === word) ?? word;
  }
  return undefined;
}

/** Plays the reviewer, who notes what has failed. */
export function reviewFor(prompt: string): Reply {
  const failed = new Map(tagsIn(prompt)).get("Failures");
  const notes =
    failed === undefined ? "Nothing is missing." : `Say that a part could not be searched: ${failed}`;
  const input = { notes: notes.slice(0, 300), tasks: null, order: null, question: null, stop: null };
  return { tools: [{ name: "review", input }] };
}
