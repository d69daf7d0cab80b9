import type { LoggedRequest } from "./requests.ts";

/** The first place where two requests differ. */
export interface Difference {
  /**
   * The place of the block, e.g. `tools[2]`, `system[0]`, `messages[4].content[0]`. `prefix` if the requests
   * had different prefixes and the log does not show where they differ, because it is public or was redacted
   * since.
   */
  path: string;
  /**
   * `added`: the later request repeats all of the earlier one and then adds to it, so its cache still holds.
   * After anything else, nothing is read from the cache from this place on.
   */
  change: "added" | "changed" | "removed";
}

/**
 * Finds the first block that differs between a request and the one before it, in the order in which the API
 * caches: tools, system, messages. Returns `undefined` for equal requests.
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
