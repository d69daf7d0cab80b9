import type { StoredAgent } from "../base/stored-agent.ts";

const PUBLIC = { workspaceId: "", owner: "", sharedWith: "everyone" } as const;
const HARBORLINE = { workspaceId: "harborline", sharedWith: "workspace" } as const;

/** The agents that are there from the beginning: public ones, and some that people have made. */
export const companyAgents: readonly StoredAgent[] = [
  {
    ...PUBLIC,
    id: "finance-briefing",
    name: "Finance briefing",
    description: "Sums up budgets, forecasts and costs for somebody who has two minutes.",
    instructions:
      "Search the mail and the files for figures about the subject. Give the newest figure first, then what has changed since the one before it. Name who stated each figure, and when.",
    sources: ["gmail", "drive"],
  },
  {
    ...PUBLIC,
    id: "meeting-prep",
    name: "Meeting preparation",
    description: "Prepares a meeting: who takes part, what was said about its subject, and what is open.",
    instructions:
      "Find the meeting in the calendar. Then search mail and chat for its subject. List the attendees, three points that were made, and the questions that nobody has answered.",
    sources: ["calendar", "gmail", "slack"],
  },
  {
    ...HARBORLINE,
    id: "pipeline-watch",
    owner: "alex.rivera@harborline.example",
    name: "Pipeline watch",
    description: "Knows the state of the sales pipeline and which deals may slip.",
    instructions: "Look for deals, renewals and their dates. Say which of them may slip, and who said so.",
    sources: ["gmail", "slack"],
  },
  {
    ...HARBORLINE,
    id: "board-notes",
    owner: "alex.chen@harborline.example",
    sharedWith: [],
    name: "Board notes",
    description: "Collects figures for the notes to the board.",
    instructions: "Collect revenue, costs and headcount of the quarter, each with its source.",
  },
];
