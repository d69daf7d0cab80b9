import type { Agent } from "../../agent/agent.ts";
import { errorEvent } from "../../log/error-event.ts";
import type { NewEvent } from "../../log/event.ts";
import type { Leg } from "../../loop/leg/leg.ts";
import type { ToolSpec } from "../../model/content.ts";
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

/** The tools of one source that do not fit, by the limit that they exceed. */
interface LeftOut {
  readonly source: ToolSource;
  /** Which limit leaves them out: the source's own, or that of all tools together. */
  readonly by: "source" | "all";
  readonly tools: readonly Tool[];
}

/** Lengths that were measured: sources keep their tools, so most runs measure nothing. */
const measured = new WeakMap<ToolSpec, number>();

/** Returns the length of what the model reads of a tool, in characters of JSON. */
function specChars({ spec }: Tool): number {
  const known = measured.get(spec);
  if (known !== undefined) return known;
  const chars = JSON.stringify(spec).length;
  measured.set(spec, chars);
  return chars;
}

/**
 * Returns the tools that fit into the limits of their sources and into the limit of all tools, in the same
 * order, and those that do not. Tools without a source always stay. Those that the session has already
 * (`sent`, by name) come first, then the others in the order of the list, one by one: a long tool does not
 * keep a short one out.
 */
// Without those that were sent, a source that lists more tools would take away what the conversation speaks
// of, and the prompt could not be read from the cache.
function fitTools(
  tools: readonly Tool[],
  { limit, sent }: { limit: number; sent: ReadonlySet<string> },
): { tools: Tool[]; left: LeftOut[] } {
  const own = tools.filter(({ source }) => source === undefined);
  const kept = new Set(own);
  let room = limit - own.reduce((sum, one) => sum + specChars(one), 0);
  const rooms = new Map<string, number>();
  const left = new Map<string, LeftOut & { tools: Tool[] }>();
  const isSent = ({ name }: Tool) => sent.has(name);
  for (const one of [...tools.filter(isSent), ...tools.filter((tool) => !isSent(tool))]) {
    const { source } = one;
    if (source === undefined) continue;
    const chars = specChars(one);
    const rest = (rooms.get(source.name) ?? source.maxChars) - chars;
    if (rest >= 0 && room >= chars) {
      rooms.set(source.name, rest);
      room -= chars;
      kept.add(one);
      continue;
    }
    const by = rest < 0 ? "source" : "all";
    const group = left.get(`${by} ${source.name}`) ?? { source, by, tools: [] };
    group.tools.push(one);
    left.set(`${by} ${source.name}`, group);
  }
  return { tools: tools.filter((one) => kept.has(one)), left: [...left.values()] };
}
