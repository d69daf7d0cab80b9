import type { JsonObject } from "@pawl/core";
import type { Reply } from "@pawl/testing";
import { meantIn } from "./meant.ts";
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

/**
 * Plays the planner: asks which person is meant, and plans a task for the agent that the message names, or a
 * search of each source that fits.
 */
export function planFor(prompt: string): Reply {
  const tags = new Map(tagsIn(prompt));
  const message = tags.get("Message") ?? "";
  // The message of a question that was left open comes before the newest one.
  const newest = message.split("\n\n").at(-1) ?? message;
  const { person, nobody, question } = meantIn(tags, newest);
  if (nobody !== undefined) return plan(message, [], { status: "blocked", blocked: nobody });
  if (question !== undefined)
    return plan(message, [], {
      status: "needs_clarification",
      question: { ...question, choices: [] },
    });
  if (/^\W*(hi|hello|hey|thanks|thank you|bye)\b.{0,20}$/i.test(message)) return plan(message, []);
  const agent = namedAgent(tags.get("Agents") ?? "", newest);
  if (agent !== undefined) {
    const ask = { id: "ask", title: `Ask ${agent.name}`, agent: agent.id };
    return plan(message, [ask, { id: "answer", title: "Answer with citations", depends_on: ["ask"] }]);
  }
  const fitting = SOURCES.filter(({ when }) => when.test(newest));
  const chosen = fitting.length > 0 ? fitting : SOURCES;
  const whose = person === undefined ? "" : ` of ${person}`;
  const searches = chosen.map(({ tool, title }) => ({
    ...{ id: tool.replace("search_", ""), title: `${title}${whose}`, tool },
  }));
  const sum = { id: "answer", title: "Answer with citations", depends_on: searches.map(({ id }) => id) };
  return plan(message, [...searches, sum]);
}

function plan(message: string, tasks: JsonObject[], more: JsonObject = {}): Reply {
  const goal = message.slice(0, 200) || "Answer the user";
  return { tools: [{ name: "write_plan", input: { goal, tasks, status: "ok", ...more } }] };
}

/** The custom agent or connector that the message names. */
function namedAgent(agents: string, message: string): { id: string; name: string } | undefined {
  const listed = [...agents.matchAll(/^- ([\w:-]+): ([^.]+)\./gm)].map(([, id = "", name = ""]) => ({
    id,
    name,
  }));
  return listed.find(({ name }) => message.toLowerCase().includes(name.toLowerCase()));
}

/** Plays the reviewer, who notes what has failed, and how much was found: it reads no results. */
export function reviewFor(prompt: string): Reply {
  const tags = new Map(tagsIn(prompt));
  const failed = tags.get("Failures");
  const counts = [
    ...(tags.get("ToolCallHistory") ?? "").matchAll(/^\d+\. search_\w+ \(success.*?(\d+) found/gm),
  ];
  const found = counts.reduce((sum, [, count]) => sum + Number(count), 0);
  const results =
    found === 0
      ? "The searches have found nothing."
      : `The searches have found ${found} documents. Say so if none of them answers the question.`;
  const notes = failed === undefined ? results : `Say that a part could not be searched: ${failed}`;
  const input = { notes: notes.slice(0, 300), tasks: null, order: null, question: null, stop: null };
  return { tools: [{ name: "review", input }] };
}
