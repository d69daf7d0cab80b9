/** The most levels and values that a value may have. */
export interface JsonBounds {
  readonly levels: number;
  readonly values: number;
}

/**
 * Returns which bound a JSON value exceeds, or `undefined`. Counts each item and field as a value, and stops
 * as soon as a bound is exceeded. Call it before a value from outside is validated: what that costs grows
 * with the number of values, and hardly with the number of bytes.
 *
 * @example
 * ```ts
 * import { excessOf } from "@pawl/core/tools";
 *
 * console.log(excessOf([[1], [2, 3]], { levels: 2, values: 100 })); // undefined
 * console.log(excessOf([[1], [2, 3]], { levels: 1, values: 100 })); // levels
 * console.log(excessOf([[1], [2, 3]], { levels: 2, values: 4 })); // values
 * ```
 */
// Works level by level, because a recursion would overflow the stack, and takes each object once a level,
// because a value of the application may have cycles.
export function excessOf(value: unknown, { levels, values }: JsonBounds): keyof JsonBounds | undefined {
  let level = new Set([value].filter(isNested));
  let left = values;
  for (let deeper = levels; level.size > 0; deeper -= 1) {
    if (deeper === 0) return "levels";
    const next = new Set<object>();
    for (const part of level) {
      const inner: unknown[] = Array.isArray(part) ? part : Object.values(part);
      left -= inner.length;
      if (left < 0) return "values";
      for (const one of inner) if (isNested(one)) next.add(one);
    }
    level = next;
  }
  return undefined;
}

const isNested = (value: unknown): value is object => typeof value === "object" && value !== null;
