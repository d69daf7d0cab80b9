import type { LoggedRequest } from "./requests.ts";

/** The first place where two requests differ. */
export interface Difference {
  /**
   * The place of the first block that differs, e.g. `tools[2]`, `system[0]` or `messages[4].content[0]`. The
   * value is `prefix` if only the prefix ids differ: the prefix is hidden in a public log and after a
   * redaction.
   */
  path: string;
  /**
   * The kind of difference.
   *
   * - `added`: the later request only adds to the earlier one, so the whole earlier prompt can be read from
   *   the cache.
   * - `changed`, `removed`: only the prompt before `path` can be read from the cache.
   */
  change: "added" | "changed" | "removed";
}

/**
 * Finds the first block in which two successive requests differ. Compares them in the order in which the API
 * caches: tools, system, messages. Returns `undefined` if the requests are equal.
 *
 * @example
 * ```ts
 * import { agent, memoryStore, runtime } from "@pawl/core";
 * import { firstDifference, requestsOf } from "@pawl/core/inspect";
 * import { scriptedModel } from "@pawl/testing";
 *
 * const greeter = agent({
 *   name: "greeter",
 *   model: scriptedModel([{ text: "Hello." }, { text: "Bye." }]),
 *   instructions: "Be kind.",
 * });
 * const store = memoryStore();
 * const pawl = runtime({ agents: [greeter], store });
 * const { sessionId } = await pawl.run("greeter", { userId: "ada", input: "Hi" }).result;
 * await pawl.run("greeter", { userId: "ada", sessionId, input: "Bye" }).result;
 *
 * const [first, second] = requestsOf(await Array.fromAsync(store.read(sessionId)));
 * if (first && second) console.log(firstDifference(first, second));
 * // { path: 'messages[1].content[0]', change: 'added' }
 * ```
 */
export function firstDifference(before: LoggedRequest, after: LoggedRequest): Difference | undefined {
  const found = shownDifference(before, after);
  const hasNewPrefix = before.prefixId !== after.prefixId;
  return hasNewPrefix && (found === undefined || found.change === "added")
    ? { path: "prefix", change: "changed" }
    : found;
}

/** Finds the first block in which two requests differ. Does not compare their prefix ids. */
function shownDifference(before: LoggedRequest, after: LoggedRequest): Difference | undefined {
  const earlier = blocksOf(before);
  const later = blocksOf(after);
  for (const [index, block] of later.entries()) {
    const earlierBlock = earlier[index];
    if (earlierBlock === undefined) return { path: block.path, change: "added" };
    if (!isSame(earlierBlock, block)) return { path: block.path, change: "changed" };
  }
  const removed = earlier[later.length];
  return removed && { path: removed.path, change: "removed" };
}

/** A block of a request, with its place. */
interface Block {
  path: string;
  role?: string;
  value: object;
}

/** Returns the blocks of a request in the order in which the API caches them. */
function blocksOf({ tools, system, messages }: LoggedRequest): Block[] {
  return [
    ...tools.map((value, index) => ({ path: `tools[${index}]`, value })),
    ...system.map((value, index) => ({ path: `system[${index}]`, value })),
    ...messages.flatMap(({ role, content }, index) =>
      content.map((value, block) => ({ path: `messages[${index}].content[${block}]`, role, value })),
    ),
  ];
}

function isSame(one: Block, other: Block): boolean {
  if (one.path !== other.path || one.role !== other.role) return false;
  return one.value === other.value || JSON.stringify(one.value) === JSON.stringify(other.value);
}
