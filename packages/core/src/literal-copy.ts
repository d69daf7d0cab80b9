import type { Json } from "./json.ts";

/** What becomes of the parts of a copy. */
interface Copying {
  text(part: string): string;
  done<T extends object>(part: T): T;
}

/**
 * A copy of what JSON makes of literals: to write it out and read it back costs five times as much. `undefined` for what
 * may have its own idea of its JSON: anything but literals, and a key that means something, and what is deep.
 */
export function literalCopy(value: unknown, copying: Copying): Json | undefined {
  try {
    return partCopy(value, copying, LITERAL_DEPTH);
  } catch {
    return undefined;
  }
}

const NO_LITERAL = new TypeError("no literal");

/** Deeper literals are rare, and a cycle is one. */
const LITERAL_DEPTH = 100;

/** `undefined` for what JSON drops. */
function partCopy(value: unknown, copying: Copying, left: number): Json | undefined {
  if (typeof value === "string") return copying.text(value);
  if (typeof value === "boolean" || value === undefined) return value;
  // JSON knows neither a negative zero nor what is not finite.
  if (typeof value === "number") return Number.isFinite(value) ? value + 0 : null;
  if (value === null) return null;
  if (left === 0 || typeof (value as { toJSON?: unknown }).toJSON === "function") throw NO_LITERAL;
  const prototype = Object.getPrototypeOf(value);
  if (prototype === Array.prototype) {
    const copy: Json[] = [];
    for (const part of value as unknown[]) copy.push(partCopy(part, copying, left - 1) ?? null);
    return copying.done(copy);
  }
  if (prototype !== Object.prototype) throw NO_LITERAL;
  const copy: { [key: string]: Json } = {};
  for (const key of Object.keys(value)) {
    if (key === "__proto__") throw NO_LITERAL;
    const part = partCopy((value as { [key: string]: unknown })[key], copying, left - 1);
    if (part !== undefined) copy[key] = part;
  }
  return copying.done(copy);
}
