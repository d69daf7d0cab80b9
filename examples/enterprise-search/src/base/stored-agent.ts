import type { Source } from "./sources.ts";

/** An agent that somebody in the company has made, or that the application offers to everyone. */
export interface StoredAgent {
  /** Lower-case letters, digits and single dashes between them, at most {@link LONGEST_AGENT_ID}. */
  id: string;
  /** Empty for a public agent. */
  workspaceId: string;
  /** The e-mail address of the person who made it. Empty for a public agent. */
  owner: string;
  /**
   * Who else may use it: the whole workspace, or these e-mail addresses. `everyone` marks a public agent,
   * which every workspace has. Only the application makes public agents.
   */
  sharedWith: "everyone" | "workspace" | readonly string[];
  name: string;
  description: string;
  /** The agent's instructions. Everyone who may use the agent may read them. */
  instructions: string;
  /** The sources that it may search. Default: all. */
  sources?: readonly Source[];
}

/** The longest id of an agent, in characters. */
export const LONGEST_AGENT_ID = 60;

const ID = /^[a-z0-9]+(-[a-z0-9]+)*$/;

/** Whether a text may be the id of an agent. Plans, calls and logs have it as a part of names. */
export function isAgentId(text: string): boolean {
  return text.length <= LONGEST_AGENT_ID && ID.test(text);
}
