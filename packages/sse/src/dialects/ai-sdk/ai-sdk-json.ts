import { dataFrame } from "../base/dialect.ts";

/** What the JSON of a value with a refused key has in it. */
const SUSPECT = /"(?:__proto__|constructor)":/;

/**
 * Returns a JSON value without the keys at which a page's parser throws, so that the page would lose the rest
 * of the answer: `__proto__`, and `constructor` if it has a `prototype` or is `null`.
 */
// 6.0.37 throws at `null` too.
export function acceptedJson<T>(value: T, json: string = JSON.stringify(value)): T {
  return SUSPECT.test(json) ? JSON.parse(JSON.stringify(value, withoutRefused)) : value;
}

/** Returns a chunk as one frame, without the keys that pages refuse. */
export function chunkFrame(chunk: object): string {
  const frame = dataFrame(chunk);
  const accepted = acceptedJson(chunk, frame);
  return accepted === chunk ? frame : dataFrame(accepted);
}

function withoutRefused(key: string, value: unknown): unknown {
  const isRefused = key === "__proto__" || (key === "constructor" && isPrototyped(value));
  return isRefused ? undefined : value;
}

function isPrototyped(value: unknown): boolean {
  return value === null || (typeof value === "object" && Object.hasOwn(value, "prototype"));
}
