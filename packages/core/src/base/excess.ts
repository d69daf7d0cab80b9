/** Bounds on the size of a JSON value. */
export interface JsonBounds {
  /** The most nested levels of objects and arrays. */
  readonly levels: number;
  /** The most array items and object fields, over all levels. */
  readonly values: number;
}

/**
 * Returns which bound a JSON value exceeds; `undefined` if it exceeds none. Stops as soon as a bound is
 * exceeded. Call this function before you validate a value from outside. The cost of validation grows with
 * the number of items and fields, and hardly with the number of bytes.
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
// Works level by level, because a recursion could overflow the stack. Visits an object once per level,
// because a value of the application may have cycles.
export function excessOf(value: unknown, { levels, values }: JsonBounds): keyof JsonBounds | undefined {
  let level = new Set([value].filter(isNested));
  let valuesLeft = values;
  for (let levelsLeft = levels; level.size > 0; levelsLeft -= 1) {
    if (levelsLeft === 0) return "levels";
    const nextLevel = new Set<object>();
    for (const part of level) {
      const children: unknown[] = Array.isArray(part) ? part : Object.values(part);
      valuesLeft -= children.length;
      if (valuesLeft < 0) return "values";
      for (const child of children) if (isNested(child)) nextLevel.add(child);
    }
    level = nextLevel;
  }
  return undefined;
}

/** Returns whether a value is an object or an array. */
const isNested = (value: unknown): value is object => typeof value === "object" && value !== null;
