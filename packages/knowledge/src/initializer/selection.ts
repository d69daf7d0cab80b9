import { type JsonObject, type Schema, toJson } from "@pawl/core";
import { reasons, type SelectionReason } from "../log/events.ts";

/** One source that the model has chosen. */
export interface Wanted {
  source: string;
  reason: SelectionReason;
  /** The range in days; `null` for the source's default. */
  daysBack: number | null;
}

/** The valid part of the model's answer. */
export interface Selection {
  reasoning: string;
  wanted: Wanted[];
  useExisting: string[];
  /**
   * The source names of invalid entries, or the entries themselves if they have none. Shortened to 100
   * characters.
   */
  malformed: string[];
}

/** The name of the tool with which the model chooses. */
export const SELECT = "select_knowledge";

/** What the tool is for, for the model. */
export const SELECT_DESCRIPTION = "Says which data the assistant is to be given before it answers.";

/**
 * Returns the schema of the model's choice. Its JSON Schema has the strict form that strict tools require. It
 * accepts more: entries that are not valid are left out, and the others count.
 */
export function selectionSchema(sources: readonly string[]): Schema<Selection> {
  const schema = () => schemaOf(sources);
  return {
    "~standard": {
      version: 1,
      vendor: "pawl-knowledge",
      validate: (answer) => {
        const value = parseSelection(answer);
        return value === undefined ? { issues: [{ message: "append_knowledge must be a list" }] } : { value };
      },
      jsonSchema: { input: schema, output: schema },
    },
  };
}

function schemaOf(sources: readonly string[]): JsonObject {
  const entry = objectOf({
    source: { type: "string", enum: [...sources] },
    reason: { type: "string", enum: [...reasons] },
    days_back: {
      type: ["integer", "null"],
      description: "How many days back; null where that does not matter.",
    },
  });
  return objectOf({
    reasoning: { type: "string", description: "Why, in a sentence or two." },
    append_knowledge: {
      type: "array",
      items: entry,
      description: "What is to be fetched; empty if nothing is.",
    },
    use_existing: {
      type: "array",
      items: { type: "string" },
      description: "Sources that are loaded already and serve as they are.",
    },
  });
}

function objectOf(properties: JsonObject): JsonObject {
  return { type: "object", properties, required: Object.keys(properties), additionalProperties: false };
}

/** The longest text of the model that is kept, in UTF-16 code units. */
const MAX_CHARS = 2_000;
const MAX_NAME = 100;
const MAX_ENTRIES = 100;

/**
 * Validates the model's answer. Returns `undefined` if `append_knowledge` is not a list. Invalid entries are
 * returned as `malformed`.
 */
function parseSelection(answer: unknown): Selection | undefined {
  const { reasoning, append_knowledge: append, use_existing: existing } = asObject(answer);
  if (!Array.isArray(append)) return undefined;
  const selection: Selection = {
    reasoning: shortened(reasoning ?? "", MAX_CHARS),
    wanted: [],
    useExisting: [],
    malformed: [],
  };
  for (const entry of append.slice(0, MAX_ENTRIES)) {
    const wanted = wantedIn(entry);
    if (wanted === undefined) selection.malformed.push(shortened(asObject(entry).source ?? entry, MAX_NAME));
    else selection.wanted.push(wanted);
  }
  if (Array.isArray(existing))
    selection.useExisting = existing.slice(0, MAX_ENTRIES).map((name) => shortened(name, MAX_NAME));
  return selection;
}

function wantedIn(entry: unknown): Wanted | undefined {
  const { source, reason, days_back = null } = asObject(entry);
  const known = reasons.find((one) => one === reason);
  if (typeof source !== "string" || known === undefined) return undefined;
  if (days_back === null) return { source, reason: known, daysBack: null };
  const isDays = typeof days_back === "number" && Number.isSafeInteger(days_back) && days_back >= 1;
  return isDays ? { source, reason: known, daysBack: days_back } : undefined;
}

function asObject(value: unknown): { [field: string]: unknown } {
  return value !== null && typeof value === "object" && !Array.isArray(value) ? { ...value } : {};
}

function shortened(value: unknown, limit: number): string {
  const text = typeof value === "string" ? value : JSON.stringify(toJson(value));
  return text.slice(0, limit).toWellFormed();
}
