/** Freezes JSON data deeply, at any level of nesting, and returns it. */
export function deepFreeze<T>(value: T): T {
  const open: unknown[] = [value];
  while (open.length > 0) {
    const part = open.pop();
    if (part === null || typeof part !== "object" || Object.isFrozen(part)) continue;
    for (const inner of Object.values(Object.freeze(part))) open.push(inner);
  }
  return value;
}
