import { excessOf, type JsonBounds } from "@pawl/core/tools";

/** What a schema of one tool may have at most, as for `untrustedSchema()`. Other code limits levels. */
const BOUNDS: JsonBounds = { levels: Number.POSITIVE_INFINITY, values: 20_000 };

/** The reason for which a tool is left out. */
export const TOO_MANY_VALUES: string = `more than ${BOUNDS.values} values`;

const MARK = "x-pawl-too-many-values";

/** The parts of a tool that may be large, and what stands for them then. */
const PARTS: ReadonlyMap<string, object> = new Map<string, object>([
  ["inputSchema", { type: "object", [MARK]: true }],
  ["outputSchema", { type: "object", [MARK]: true }],
  ["_meta", {}],
]);

/** Returns whether a schema has too many values, or stands for one that had. */
export function hasTooManyValues(schema: unknown): boolean {
  return Object.hasOwn(Object(schema), MARK) || excessOf(schema, BOUNDS) !== undefined;
}

/**
 * Returns a list of tools with a mark in place of each schema that has too many values. Tools with such a
 * schema are left out, so nothing has to work on it. Metadata with as many values, which nobody reads, become
 * empty.
 */
export function withoutLargeParts(result: unknown): unknown {
  const { tools } = Object(result) as { tools?: unknown };
  if (!Array.isArray(tools)) return result;
  return { ...Object(result), tools: tools.map(withSmallParts) };
}

function withSmallParts(tool: unknown): unknown {
  const large = Object.entries(Object(tool)).filter(
    ([key, value]) => PARTS.has(key) && hasTooManyValues(value),
  );
  if (large.length === 0) return tool;
  return {
    ...Object(tool),
    ...Object.fromEntries(large.map(([key]) => [key, PARTS.get(key)])),
  };
}
