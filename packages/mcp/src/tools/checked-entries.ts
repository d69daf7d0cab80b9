import { clipText, excessOf, listedProblems, withoutHidden } from "@pawl/core/tools";
import { FEW, protocolJudge } from "../connect/judge.ts";
import { sdk } from "../connect/sdk.ts";

/** An entry of a server's list that is not as the protocol says, and why. */
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

/** The longest reason, in characters, and the number of entries whose reason has details. */
const MOST_WHY_CHARS = 300;
const MOST_DETAILED = 10;

const MISFIT = "it does not match the protocol";

/**
 * Checks each entry of a list on its own: one that is malformed leaves the others alone.
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
  // The SDK collects every mistake, so of many entries it gets only those with few.
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
    // `RangeError`: it is nested so deeply that nobody can read it.
    const problem = await problemOf(entry).catch(() => MISFIT);
    if (problem === undefined) continue;
    const why = checked.leftOut.length < MOST_DETAILED ? withoutHidden(problem) : MISFIT;
    checked.leftOut.push({ name: nameOf(entry, index), why: clipText(why, MOST_WHY_CHARS) });
  }
  return checked;
}

/** Returns a tool whose schemas have what its protocol demands of them: since 2026-07-28, little. */
function outlineOf(entry: unknown): unknown {
  const outlines = Object.entries(schemasOf(entry)).map(([field, schema]) => {
    const { $schema, type } = Object(schema) as { $schema?: unknown; type?: unknown };
    const isOutlined = typeof schema === "object" && schema !== null && !Array.isArray(schema);
    return [field, isOutlined ? { ...($schema !== undefined && { $schema }), type } : schema] as const;
  });
  return outlines.length === 0 ? entry : { ...Object(entry), ...Object.fromEntries(outlines) };
}

/** Returns those of a tool's schemas that it has. */
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

/** Returns the name of an entry, or its place in the list. */
function nameOf(entry: unknown, index: number): string {
  const { name } = Object(entry) as { name?: unknown };
  return typeof name === "string" && name !== "" ? name : `#${index + 1}`;
}

function hasObjectResults(tool: unknown): boolean {
  const { outputSchema } = Object(tool) as { outputSchema?: { type?: unknown } };
  return outputSchema === undefined || outputSchema.type === "object";
}
