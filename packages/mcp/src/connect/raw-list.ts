import type { Json } from "@pawl/core";
import { objectIn } from "../base/json.ts";

// The SDK validates a list as a whole: one malformed entry, and it has none.

const LISTS: ReadonlyMap<string, string> = new Map(
  ["tools", "resources", "prompts"].map((kind) => [`${kind}/list`, kind]),
);

const RAW = "pawl/list";

/** A page of a list as its server has sent it. */
export interface RawPage {
  /** The entries, whatever they are. */
  listed: Json;
  nextCursor: Json;
}

/** Returns whether the method asks for a list whose entries are read by {@link rawPageIn}. */
export function isList(method: string): boolean {
  return LISTS.has(method);
}

/** Moves the entries of a page to where the SDK does not look at them. */
export function withRawPage(method: string, result: unknown): unknown {
  const kind = LISTS.get(method);
  if (kind === undefined || typeof result !== "object" || result === null) return result;
  const { [kind]: listed = null, nextCursor = null, ...rest } = result as Record<string, Json>;
  return { ...rest, [kind]: [], [RAW]: { listed, nextCursor } };
}

/** Returns a page from the result that the SDK lets through. */
export function rawPageIn(result: Json): RawPage {
  const { listed = null, nextCursor = null } = objectIn(objectIn(result)[RAW]);
  return { listed, nextCursor };
}
