import type { Agent } from "../../agent/agent.ts";
import { errorEvent } from "../../log/error-event.ts";
import type { NewEvent } from "../../log/event.ts";
import type { Leg } from "../../loop/leg/leg.ts";
import type { ToolSpec } from "../../model/content.ts";
import type { Tool } from "../../tools/tool.ts";
import type { ToolSource } from "../../tools/tool-source.ts";

/** The most names of tools that one error in the log lists. */
const MOST_NAMES = 20;

/**
 * By source: the lists of left-out tools of which it was notified. Each list is a text: whose limit left the
 * tools out (`source` or `all`), and their names.
 */
const notified = new WeakMap<ToolSource, Set<string>>();

/** The most lists that are remembered for a source. */
const MOST_NOTIFIED = 100;

/**
 * Returns the tools that fit into the agent's prompt, and errors to log about the tools that are left out.
 * Notifies the sources of the latter.
 */
export function toolsThatFit(
  leg: Leg,
  { name, toolsLimit }: Agent,
  all: readonly Tool[],
): { tools: Tool[]; toolErrors: NewEvent[] } {
  const sent = new Set(leg.log.state.prefix?.tools.map((tool) => tool.name));
  const { tools, leftOut } = fitTools(all, { limit: toolsLimit, sent });
  const toolErrors = leftOut.map(({ source, by, tools }) => {
    const why =
      by === "source"
        ? `the tools of "${source.name}" may have at most ${source.maxChars} characters together`
        : `all tools may have at most ${toolsLimit} characters together (\`toolsLimit\` of agent("${name}"))`;
    notifySource(leg, { source, by, tools }, why);
    return leftOutEvent(source.name, tools, why);
  });
  return { tools, toolErrors };
}

/** Returns the error to log about the left-out tools of one source. */
function leftOutEvent(source: string, leftOut: readonly Tool[], why: string): NewEvent {
  const tools = leftOut.slice(0, MOST_NAMES).map(({ name }) => name);
  const count = leftOut.length === 1 ? "1 tool" : `${leftOut.length} tools`;
  const others = leftOut.length > tools.length ? ` and ${leftOut.length - tools.length} more` : "";
  return errorEvent({
    code: "tools_left_out",
    message: `The prompt lacks ${count} of "${source}", because ${why}: ${tools.join(", ")}${others}.`,
    context: { source, count: leftOut.length, tools },
  });
}

/** Notifies a source of its left-out tools. Does so once for the same tools. */
function notifySource(leg: Leg, { source, by, tools }: LeftOut, why: string): void {
  const names = tools.map(({ name }) => name);
  const key = `${by} ${names.join(" ")}`;
  const before = notified.get(source) ?? new Set();
  if (before.has(key)) return;
  if (before.size >= MOST_NOTIFIED) before.clear();
  notified.set(source, before.add(key));
  try {
    source.omitted?.(names, why);
  } catch (error) {
    leg.report.failed(error);
  }
}

/** The tools of one source that exceed the same limit. */
interface LeftOut {
  readonly source: ToolSource;
  /** Which limit leaves them out: the source's own, or that of all tools together. */
  readonly by: "source" | "all";
  readonly tools: readonly Tool[];
}

/** The measured lengths of tools. Sources return the same objects each time, so most runs measure nothing. */
const measured = new WeakMap<ToolSpec, number>();

/** Returns the length of the part of a tool that the model reads, in characters of JSON. */
function specChars({ spec }: Tool): number {
  const known = measured.get(spec);
  if (known !== undefined) return known;
  const chars = JSON.stringify(spec).length;
  measured.set(spec, chars);
  return chars;
}

/**
 * Divides tools into those that fit and those that are left out. A tool fits if it exceeds neither the limit
 * of its source nor the limit of all tools. Tools without a source always fit, and count towards the latter.
 *
 * The tools that the session has already (`sent`, by name) are tried first, then the others in their order.
 * After a tool that does not fit, a shorter one may still fit. The result keeps the order of `tools`.
 */
// If new tools replaced sent ones, the model would lack tools that the conversation mentions, and the prompt
// cache would miss.
function fitTools(
  tools: readonly Tool[],
  { limit, sent }: { limit: number; sent: ReadonlySet<string> },
): { tools: Tool[]; leftOut: LeftOut[] } {
  const withoutSource = tools.filter(({ source }) => source === undefined);
  const fitting = new Set(withoutSource);
  let charsLeft = limit - withoutSource.reduce((sum, tool) => sum + specChars(tool), 0);
  const charsLeftOf = new Map<string, number>();
  const leftOut = new Map<string, LeftOut & { tools: Tool[] }>();
  const isSent = ({ name }: Tool) => sent.has(name);
  for (const tool of [...tools.filter(isSent), ...tools.filter((other) => !isSent(other))]) {
    const { source } = tool;
    if (source === undefined) continue;
    const chars = specChars(tool);
    const restOfSource = (charsLeftOf.get(source.name) ?? source.maxChars) - chars;
    if (restOfSource >= 0 && charsLeft >= chars) {
      charsLeftOf.set(source.name, restOfSource);
      charsLeft -= chars;
      fitting.add(tool);
      continue;
    }
    const by = restOfSource < 0 ? "source" : "all";
    const group = leftOut.get(`${by} ${source.name}`) ?? { source, by, tools: [] };
    group.tools.push(tool);
    leftOut.set(`${by} ${source.name}`, group);
  }
  return { tools: tools.filter((tool) => fitting.has(tool)), leftOut: [...leftOut.values()] };
}
