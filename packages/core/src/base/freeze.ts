/** Freezes JSON data deeply, however deep it is, and returns it. */
export function deepFreeze<T>(value: T): T {
  const open: unknown[] = [value];
  while (open.length > 0) {
    const part = open.pop();
    if (part === null || typeof part !== "object" || Object.isFrozen(part)) continue;
    for (const inner of Object.values(Object.freeze(part))) open.push(inner);
  }
  return value;
}
