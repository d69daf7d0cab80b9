import type { AgentDraft, CustomAgent } from "../base/agents.ts";
import type { Person } from "../base/server.ts";
import { listed } from "../base/words.ts";

/** The sources that an agent may search. */
export const SEARCHED = ["gmail", "slack", "calendar", "drive"] as const;

/** The fields of the form. */
export interface Fields {
  name: string;
  description: string;
  instructions: string;
  sources: readonly string[];
  shared: "nobody" | "workspace" | "people";
  /** The chosen people, by their addresses. */
  chosen: readonly string[];
  /** Addresses of other people, as they are written. */
  others: string;
}

/** Fills the form. Addresses of people that the form does not list go into its text field. */
export function fieldsOf(agent: CustomAgent | undefined, offered: readonly Person[]): Fields {
  const { name = "", description = "", instructions = "", sources = SEARCHED, sharedWith = [] } = agent ?? {};
  const emails = typeof sharedWith === "string" ? [] : sharedWith;
  const known = new Set(offered.map(({ email }) => email));
  return {
    ...{ name, description, instructions, sources },
    shared: typeof sharedWith === "string" ? "workspace" : emails.length > 0 ? "people" : "nobody",
    chosen: emails.filter((email) => known.has(email)),
    others: emails.filter((email) => !known.has(email)).join(", "),
  };
}

/** Returns what is missing, in words for the user; `""` if nothing is. */
export function problemIn(fields: Fields): string {
  const missing = [
    ["a name", fields.name],
    ["what the agent is good for", fields.description],
    ["instructions", fields.instructions],
  ].flatMap(([label = "", value = ""]) => (value.trim() === "" ? [label] : []));
  if (missing.length > 0) return `Please write ${listed(missing)}.`;
  if (fields.sources.length === 0) return "Please choose at least one source.";
  if (fields.shared === "people" && emailsOf(fields).length === 0)
    return "Please choose the people to share it with, or choose “Nobody”.";
  return "";
}

/** Makes the draft that the server takes. */
export function agentOf(fields: Fields): AgentDraft {
  const { name, description, instructions, sources, shared } = fields;
  return {
    ...{ name: name.trim(), description: description.trim(), instructions: instructions.trim() },
    ...(sources.length < SEARCHED.length && { sources }),
    sharedWith: shared === "workspace" ? shared : shared === "people" ? emailsOf(fields) : [],
  };
}

function emailsOf({ chosen, others }: Fields): string[] {
  const written = others
    .split(/[\s,;]+/)
    .map((one) => one.toLowerCase())
    .filter((one) => one !== "");
  return [...new Set([...chosen, ...written])];
}
