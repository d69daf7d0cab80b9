/**
 * Evaluates the conditions of a GET or HEAD request for a resource that exists, in the order of RFC 9110,
 * 13.2.2. Returns the status to send instead of the representation: 412 if `if-match` does not hold, or 304
 * if `if-none-match` does not. Returns `undefined` if all conditions hold. Ignores conditions about the time
 * of a change, so use it for resources without such a time.
 *
 * @param etag the entity tag of the representation, with its quotes; `undefined` if it has none
 *
 * @example
 * ```ts
 * import { unmetCondition } from "@pawl/core/tools";
 *
 * console.log(unmetCondition(new Headers({ "if-none-match": '"v1"' }), '"v1"')); // 304
 * console.log(unmetCondition(new Headers({ "if-match": '"v1"' }), '"v2"')); // 412
 * ```
 */
export function unmetCondition(
  headers: Pick<Headers, "get">,
  etag: string | undefined,
): 304 | 412 | undefined {
  const match = headers.get("if-match");
  if (match !== null && !isListed(match, etag, isStronglySame)) return 412;
  const noneMatch = headers.get("if-none-match");
  return noneMatch !== null && isListed(noneMatch, etag, isWeaklySame) ? 304 : undefined;
}

/** An entity tag. The characters between its quotes may be commas, but no quotes. */
const ENTITY_TAG = /(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/g;

/** Returns whether a list of tags is `*`, which stands for every representation, or has a tag like `etag`. */
function isListed(
  list: string,
  etag: string | undefined,
  isSame: (listed: string, etag: string) => boolean,
): boolean {
  if (list.trim() === "*") return true;
  return etag !== undefined && (list.match(ENTITY_TAG) ?? []).some((listed) => isSame(listed, etag));
}

/** The strong comparison: both tags are strong, and equal. */
function isStronglySame(listed: string, etag: string): boolean {
  return listed === etag && !etag.startsWith("W/");
}

/** The weak comparison: the tags are equal, whether they are weak or not. */
function isWeaklySame(listed: string, etag: string): boolean {
  return listed.replace(/^W\//, "") === etag.replace(/^W\//, "");
}
