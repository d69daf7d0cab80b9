import type { Agent } from "../../agent/agent.ts";
import { errorEvent } from "../../log/error-event.ts";
import type { NewEvent } from "../../log/event.ts";
import type { Leg } from "../../loop/leg/leg.ts";
import { fitTools, type LeftOut } from "../../tools/fit-tools.ts";
import type { Tool } from "../../tools/tool.ts";
import type { ToolSource } from "../../tools/tool-source.ts";

/** The most names that the log has of tools that were left out. */
const MOST_NAMES = 20;

/** The sets of names that each source was told of. */
const told = new WeakMap<ToolSource, Set<string>>();

/** The most sets that are kept for a source. */
const MOST_TOLD = 100;

/**
 * Returns the tools that fit into the agent's prompt, and the errors to log about the others. Notifies the
 * sources of those.
 */
export function toolsThatFit(
  leg: Leg,
  { name, toolsLimit }: Agent,
  given: readonly Tool[],
): { tools: Tool[]; toolErrors: NewEvent[] } {
  const sent = new Set(leg.log.state.prefix?.tools.map((tool) => tool.name));
  const { tools, left } = fitTools(given, { limit: toolsLimit, sent });
  const toolErrors = left.map(({ source, by, tools }) => {
    const why =
      by === "source"
        ? `the tools of "${source.name}" may have at most ${source.maxChars} characters together`
        : `all tools may have at most ${toolsLimit} characters together (\`toolsLimit\` of agent("${name}"))`;
    tell(leg, { source, by, tools }, why);
    return leftOutEvent(source.name, tools, why);
  });
  return { tools, toolErrors };
}

function leftOutEvent(source: string, left: readonly Tool[], why: string): NewEvent {
  const tools = left.slice(0, MOST_NAMES).map(({ name }) => name);
  const what = left.length === 1 ? "1 tool" : `${left.length} tools`;
  const more = left.length > tools.length ? ` and ${left.length - tools.length} more` : "";
  return errorEvent({
    code: "tools_left_out",
    message: `The prompt lacks ${what} of "${source}", because ${why}: ${tools.join(", ")}${more}.`,
    context: { source, count: left.length, tools },
  });
}

/** Notifies a source of its tools that are left out, once for the same ones. */
function tell(leg: Leg, { source, by, tools }: LeftOut, why: string): void {
  const names = tools.map(({ name }) => name);
  const key = `${by} ${names.join(" ")}`;
  const before = told.get(source) ?? new Set();
  if (before.has(key)) return;
  if (before.size >= MOST_TOLD) before.clear();
  told.set(source, before.add(key));
  try {
    source.omitted?.(names, why);
  } catch (error) {
    leg.report.failed(error);
  }
}
