const NAMES: ReadonlyMap<string, string> = new Map([
  ["gmail", "Mail"],
  ["slack", "Slack"],
  ["calendar", "Calendar"],
  ["drive", "Files"],
  ["people", "People"],
]);

/** Names a source for people; a source that the page does not know has its own name. */
export function sourceName(source: string): string {
  return NAMES.get(source) ?? source.replace(/^mcp::/, "");
}

const KINDS: ReadonlyMap<string, string> = new Map([
  ["gmail", "Mail"],
  ["slack", "Message"],
  ["calendar", "Meeting"],
  ["drive", "File"],
]);

/** Names one document of a source, e.g. `Meeting`. */
export function kindName(source: string): string {
  return KINDS.get(source) ?? "Document";
}

/** The names of the tools, as users see them. */
export const TOOL_NAMES: ReadonlyMap<string, string> = new Map([
  ["search_gmail", "Search the mail"],
  ["search_slack", "Search Slack"],
  ["search_calendar", "Search the calendar"],
  ["search_drive", "Search the files"],
  ["search_people", "Look people up"],
  ["open_document", "Read a document"],
  ["write_plan", "Change the plan"],
  ["list_custom_agents", "List the agents"],
  ["run_custom_agent", "Ask an agent"],
]);

/** Names a tool, or the agent that does a task. */
export function toolName(tool: string): string {
  return TOOL_NAMES.get(tool) ?? sourceName(tool);
}
