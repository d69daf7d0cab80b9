import type { ToolSpec } from "../model/content.ts";
import type { Tool } from "./tool.ts";
import type { ToolSource } from "./tool-source.ts";

/** The tools of one source that do not fit, by the limit that they exceed. */
export interface LeftOut {
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
export function fitTools(
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
