/**
 * Freezes JSON data at all levels, and returns it. Skips parts that are frozen already, with their contents.
 */
export function deepFreeze<T>(value: T): T {
  // A list instead of recursion, which could overflow the stack.
  const waiting: unknown[] = [value];
  while (waiting.length > 0) {
    const part = waiting.pop();
    if (part === null || typeof part !== "object" || Object.isFrozen(part)) continue;
    for (const inner of Object.values(Object.freeze(part))) waiting.push(inner);
  }
  return value;
}
