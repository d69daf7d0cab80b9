import { type JsonObject, jsonSchema, type Schema } from "@pawl/core";
import { excessOf, type JsonBounds, listedProblems } from "@pawl/core/tools";
import { sdk } from "./sdk.ts";

/**
 * Judges what a server sends before the SDK does. Returns what is wrong if there are so many mistakes that
 * the SDK must not see them, `undefined` otherwise: the SDK validates the value then.
 *
 * @param kind the name of the SDK's schema, see {@link resultKind}
 * @param isOfMany whether it is one of many values, so that even a small one must have few mistakes
 */
export type Judge = (kind: string, value: unknown, isOfMany?: boolean) => string | undefined;

const RESULTS: ReadonlyMap<string, string> = new Map([
  ["initialize", "InitializeResult"],
  ["server/discover", "DiscoverResult"],
  ["tools/call", "CallToolResult"],
  ["resources/read", "ReadResourceResult"],
  ["prompts/get", "GetPromptResult"],
]);

/**
 * Returns the kind of a method's results; `undefined` if the SDK does not validate them, e.g. tasks, and
 * lists, of which each entry is validated on its own.
 */
export function resultKind(method: string): string | undefined {
  return RESULTS.get(method);
}

/** So many mistakes are too many. `jsonSchema()` looks for no more. */
const TOO_MANY = 10;

/** What the SDK validates within a twentieth of a second, whatever is in it. */
export const FEW: JsonBounds = { levels: Number.POSITIVE_INFINITY, values: 2_000 };

let made: Judge | undefined;

/** Returns the judge of all servers. */
// The SDK's validator collects every mistake, of each entry and of each kind that an entry might be: 300 kB
// took 3 s and 1 GB. So core judges by the SDK's own schemas first: it stops at ten mistakes.
export async function protocolJudge(): Promise<Judge> {
  const { specTypeSchemas } = await sdk();
  made ??= judgeBy(specTypeSchemas as unknown as Readonly<Record<string, Schema>>);
  return made;
}

function judgeBy(schemas: Readonly<Record<string, Schema>>): Judge {
  const known = new Map<string, Schema>();
  return (kind, value, isOfMany = false) => {
    const own = Object.hasOwn(schemas, kind) ? schemas[kind] : undefined;
    if (own === undefined || (!isOfMany && excessOf(value, FEW) === undefined)) return undefined;
    const schema = known.get(kind) ?? jsonSchema(judgeable(asJsonSchema(own)) as JsonObject);
    known.set(kind, schema);
    // Synchronous, as all that `jsonSchema()` makes.
    const { issues = [] } = schema["~standard"].validate(value) as { issues?: readonly Issue[] };
    const problems = issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
    if (issues.length >= TOO_MANY) return `it does not match the protocol: ${listedProblems(problems)}`;
    return unnoticed(value) >= TOO_MANY
      ? "it has numbers that are too large, or files that are not base64"
      : undefined;
  };
}

interface Issue {
  path: readonly string[];
  message: string;
}

function asJsonSchema(schema: Schema): unknown {
  const libraryOptions = { unrepresentable: "any" };
  return schema["~standard"].jsonSchema.input({ target: "draft-2020-12", libraryOptions });
}

/**
 * Removes what holds of all that arrives: it is JSON, so its keys are texts, and what may be any JSON (the
 * only recursive part) needs no look. A format has a pattern beside it, which is enough.
 */
function judgeable(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(judgeable);
  if (typeof part !== "object" || part === null) return part;
  const { $ref, propertyNames: _, format, ...rest } = part as Record<string, unknown>;
  if (typeof $ref === "string") return {};
  const entries = Object.entries(rest).map(([key, value]) => [key, judgeable(value)] as const);
  const kept = entries.filter(
    ([key, value]) =>
      key !== "additionalProperties" || Object.keys(Object(value)).length > 0 || value === false,
  );
  return { ...Object.fromEntries(kept), ...(typeof format === "object" && { format: judgeable(format) }) };
}

/**
 * Counts mistakes that JSON Schema has no words for, up to ten: numbers that JSON can write but not hold,
 * e.g. `1e999`, and files that are not base64. Leaves out `structuredContent` and `_meta`,
 * which may be anything.
 */
function unnoticed(value: unknown): number {
  const left: object[] = [];
  let count = 0;
  const look = (one: unknown): void => {
    if (typeof one === "object" && one !== null) left.push(one);
    else if (one === Number.POSITIVE_INFINITY || one === Number.NEGATIVE_INFINITY) count += 1;
  };
  look(value);
  for (let part = left.pop(); part !== undefined && count < TOO_MANY; part = left.pop()) {
    if (Array.isArray(part)) {
      for (const one of part) look(one);
      continue;
    }
    if (isBrokenFile(part)) count += 1;
    // Not by `Object.entries()`: an object may have 100,000 fields.
    for (const key in part)
      if (key !== "_meta" && (key !== "structuredContent" || part !== value)) look(part[key as never]);
  }
  return count;
}

function isBrokenFile(part: object): boolean {
  const { type, data, uri, blob, text } = part as Record<string, unknown>;
  if (type === "image" || type === "audio") return !isBase64(data);
  return typeof uri === "string" && typeof text !== "string" && !isBase64(blob);
}

// By the same function as the SDK's.
function isBase64(text: unknown): boolean {
  if (typeof text !== "string") return true;
  try {
    atob(text);
    return true;
  } catch {
    return false;
  }
}
