import type { LoggedRequest } from "./requests.ts";

/** Where two requests begin to differ. */
export interface Difference {
  /**
   * e.g. `tools[2]`, `system[0]`, `messages[4].content[0]`; `prefix` where the requests were sent with
   * different ones, and what is shown of the log does not say where they differ: it is public, or what was
   * sent has been redacted since.
   */
  path: string;
  /**
   * `added`: the later one says all that the earlier one said, and then more. Anything else reads nothing
   * from the cache behind it.
   */
  change: "added" | "changed" | "removed";
}

/**
 * The first block that differs between a request and the one before it, in the order in which the API caches:
 * tools, system, messages. `undefined` for equal ones.
 */
export function firstDifference(before: LoggedRequest, after: LoggedRequest): Difference | undefined {
  const found = shownDifference(before, after);
  const isNew = before.prefixId !== after.prefixId;
  return isNew && (found === undefined || found.change === "added")
    ? { path: "prefix", change: "changed" }
    : found;
}

function shownDifference(before: LoggedRequest, after: LoggedRequest): Difference | undefined {
  const earlier = blocksOf(before);
  const later = blocksOf(after);
  for (const [at, block] of later.entries()) {
    const known = earlier[at];
    if (known === undefined) return { path: block.path, change: "added" };
    if (!isSame(known, block)) return { path: block.path, change: "changed" };
  }
  const removed = earlier[later.length];
  return removed && { path: removed.path, change: "removed" };
}

interface Block {
  path: string;
  role?: string;
  value: object;
}

function blocksOf({ tools, system, messages }: LoggedRequest): Block[] {
  return [
    ...tools.map((value, at) => ({ path: `tools[${at}]`, value })),
    ...system.map((value, at) => ({ path: `system[${at}]`, value })),
    ...messages.flatMap(({ role, content }, at) =>
      content.map((value, block) => ({ path: `messages[${at}].content[${block}]`, role, value })),
    ),
  ];
}

function isSame(one: Block, other: Block): boolean {
  if (one.path !== other.path || one.role !== other.role) return false;
  return one.value === other.value || JSON.stringify(one.value) === JSON.stringify(other.value);
}
