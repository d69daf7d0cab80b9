import { excessOf, type JsonBounds } from "@pawl/core/tools";

/** What a schema of one tool may have at most, as for `untrustedSchema()`. Other code limits levels. */
const BOUNDS: JsonBounds = { levels: Number.POSITIVE_INFINITY, values: 20_000 };

/** The reason for which a tool is left out. */
export const TOO_MANY_VALUES: string = `more than ${BOUNDS.values} values`;

const MARK = "x-pawl-too-many-values";

/** Returns whether a schema has too many values, or stands for one that had. */
export function hasTooManyValues(schema: unknown): boolean {
  return Object.hasOwn(Object(schema), MARK) || excessOf(schema, BOUNDS) !== undefined;
}

/**
 * Returns a list of tools with a mark in place of each schema that has too many values. Tools with such a
 * schema are left out, so nothing has to work on it.
 */
export function withoutLargeSchemas(result: unknown): unknown {
  const { tools } = Object(result) as { tools?: unknown };
  if (!Array.isArray(tools)) return result;
  return { ...Object(result), tools: tools.map(withSmallSchemas) };
}

function withSmallSchemas(tool: unknown): unknown {
  const large = Object.entries(Object(tool)).filter(
    ([key, value]) => SCHEMAS.includes(key) && hasTooManyValues(value),
  );
  if (large.length === 0) return tool;
  return {
    ...Object(tool),
    ...Object.fromEntries(large.map(([key]) => [key, { type: "object", [MARK]: true }])),
  };
}

const SCHEMAS: readonly string[] = ["inputSchema", "outputSchema"];
