import { subschemaKind } from "./subschemas.ts";

/** Keywords whose schemas apply to the same value as the schema around them. */
const IN_PLACE: readonly string[] = [
  "allOf",
  "anyOf",
  "oneOf",
  "not",
  "if",
  "then",
  "else",
  "dependentSchemas",
];

/**
 * Returns a reference that a validator would follow forever, because it leads back to its own schema for the
 * same value; `undefined` if the schema has no such reference.
 *
 * @param targets the schemas that have references, and where those lead
 */
export function endlessReference(targets: ReadonlyMap<object, unknown>): string | undefined {
  const applied = appliedBy(targets);
  // Schemas that lead nowhere else are removed, until all that are left lead in circles.
  const users = new Map<unknown, unknown[]>();
  for (const [part, next] of applied) {
    for (const other of next) {
      const others = users.get(other);
      if (others === undefined) users.set(other, [part]);
      else others.push(part);
    }
  }
  const left = new Map([...applied].map(([part, next]) => [part, next.length]));
  const done = [...left.keys()].filter((part) => left.get(part) === 0);
  for (const part of done) {
    left.delete(part);
    for (const user of users.get(part) ?? []) {
      const rest = (left.get(user) ?? 0) - 1;
      left.set(user, rest);
      if (rest === 0) done.push(user);
    }
  }
  const endless = [...targets.keys()].find((part) => left.has(part)) as { $ref?: string } | undefined;
  return endless?.$ref;
}

/** Returns the schemas that others apply to the same value, beginning with those that have references. */
function appliedBy(targets: ReadonlyMap<object, unknown>): ReadonlyMap<unknown, readonly unknown[]> {
  const applied = new Map<unknown, readonly unknown[]>();
  const waiting: unknown[] = [...targets.keys()];
  for (const part of waiting) {
    if (applied.has(part)) continue;
    const target = targets.get(part as object);
    const next = target === undefined ? inPlace(part) : [...inPlace(part), target];
    applied.set(part, next);
    for (const other of next) waiting.push(other);
  }
  return applied;
}

/** Returns the schemas directly in a schema that apply to the same value. A schema may also be a boolean. */
function inPlace(schema: unknown): unknown[] {
  return Object.entries(Object(schema)).flatMap(([keyword, value]) => {
    if (!IN_PLACE.includes(keyword)) return [];
    return subschemaKind(keyword) === "one" ? [value] : Object.values(Object(value));
  });
}
