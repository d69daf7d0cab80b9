import { clipText, excessOf, listedProblems, withoutHidden } from "@pawl/core/tools";
import { FEW, protocolJudge } from "../connect/judge.ts";
import { sdk } from "../connect/sdk.ts";

/** An entry of a server's list that does not match the protocol, with the reason. */
export interface LeftOut {
  name: string;
  why: string;
}

/** The kinds of entries, as the SDK names their schemas. */
export type EntryKind = "Tool" | "Resource" | "Prompt";

/** The entries of a list. */
export interface CheckedEntries<T> {
  good: T[];
  leftOut: LeftOut[];
  /** The length of all entries, in characters of JSON. */
  chars: number;
}

/** The longest reason, in characters, and the largest number of entries whose reasons have details. */
const MOST_WHY_CHARS = 300;
const MOST_DETAILED = 10;

const MISFIT = "it does not match the protocol";

/**
 * Checks each entry of a list by itself, so that a malformed one does not affect the others.
 *
 * @param isLegacy whether the server speaks an older protocol, which demands more of a tool's schemas
 */
export async function checkedEntries<T>(
  kind: EntryKind,
  entries: readonly unknown[],
  isLegacy: boolean,
): Promise<CheckedEntries<T>> {
  const { specTypeSchemas } = await sdk();
  const judge = await protocolJudge();
  // The SDK collects all mistakes of an entry. So in a large list, our own judge rejects bad entries first.
  const isLarge = excessOf(entries, FEW) !== undefined;
  const schema = specTypeSchemas[kind]["~standard"];
  const checked: CheckedEntries<T> = { good: [], leftOut: [], chars: 0 };

  async function problemOf(entry: unknown): Promise<string | undefined> {
    checked.chars += JSON.stringify(entry).length;
    const wrong = isLarge ? judge(kind, entry, true) : undefined;
    if (wrong !== undefined) return wrong;
    const isModernTool = kind === "Tool" && !isLegacy;
    const { issues, value } = (await schema.validate(
      isModernTool ? outlineOf(entry) : entry,
    )) as Validated<T>;
    if (issues !== undefined) return `${MISFIT}: ${listedProblems(issues.map(problemIn))}`;
    if (isLegacy && kind === "Tool" && !hasObjectResults(value))
      return `${MISFIT}: outputSchema.type: it must be "object"`;
    checked.good.push(isModernTool ? { ...value, ...schemasOf(entry) } : value);
    return undefined;
  }

  for (const [index, entry] of entries.entries()) {
    // A `RangeError`: the entry is nested too deeply.
    const problem = await problemOf(entry).catch(() => MISFIT);
    if (problem === undefined) continue;
    const why = checked.leftOut.length < MOST_DETAILED ? withoutHidden(problem) : MISFIT;
    checked.leftOut.push({ name: nameOf(entry, index), why: clipText(why, MOST_WHY_CHARS) });
  }
  return checked;
}

/** Returns a tool whose schemas have only the fields that the protocol of 2026-07-28 prescribes. */
function outlineOf(entry: unknown): unknown {
  const outlines = Object.entries(schemasOf(entry)).map(([field, schema]) => {
    const { $schema, type } = Object(schema) as { $schema?: unknown; type?: unknown };
    const isOutlined = typeof schema === "object" && schema !== null && !Array.isArray(schema);
    return [field, isOutlined ? { ...($schema !== undefined && { $schema }), type } : schema] as const;
  });
  return outlines.length === 0 ? entry : { ...Object(entry), ...Object.fromEntries(outlines) };
}

/** Returns the schemas of a tool, without missing ones. */
function schemasOf(entry: unknown): Record<string, unknown> {
  const fields = ["inputSchema", "outputSchema"].filter((field) => Object.hasOwn(Object(entry), field));
  return Object.fromEntries(fields.map((field) => [field, Object(entry)[field]]));
}

type Validated<T> = { issues?: readonly Issue[]; value: T };

interface Issue {
  path?: readonly unknown[];
  message: string;
}

function problemIn({ path = [], message }: Issue): string {
  return path.length === 0 ? message : `${path.map(String).join(".")}: ${message}`;
}

/** Returns the name of an entry, or its position in the list, e.g. `#3`. */
function nameOf(entry: unknown, index: number): string {
  const { name } = Object(entry) as { name?: unknown };
  return typeof name === "string" && name !== "" ? name : `#${index + 1}`;
}

function hasObjectResults(tool: unknown): boolean {
  const { outputSchema } = Object(tool) as { outputSchema?: { type?: unknown } };
  return outputSchema === undefined || outputSchema.type === "object";
}
