import { PawlError } from "../base/errors.ts";
import type { Json, JsonObject } from "../base/json.ts";
import type { StoredOf } from "../log/event.ts";
import type { ShortenInput } from "../log/event-parts.ts";
import { isThinking, isToolUse, type ToolUseBlock } from "../model/content.ts";
import type { ContextEntry } from "../session/context-entry.ts";
import { contextEntry } from "./project.ts";

/**
 * Checks the declared fields against the tool's input schema. If the tool lists only field names, the note's
 * first word is `saved`.
 *
 * @throws PawlError `config` for a field that the input does not have.
 */
export function shortenedFields(
  declared: readonly string[] | ShortenInput | undefined,
  tool: string,
  { properties }: JsonObject,
): ShortenInput | undefined {
  if (declared === undefined) return undefined;
  const fields = Array.isArray(declared)
    ? Object.fromEntries(declared.map((field: string) => [field, "saved"]))
    : { ...(declared as ShortenInput) };
  for (const field of Object.keys(fields)) {
    if (typeof properties !== "object" || properties === null || Object.hasOwn(properties, field)) continue;
    throw new PawlError("config", `The tool "${tool}" has no input "${field}" to shorten.`);
  }
  return fields;
}

/**
 * Returns an answer in the form in which it is sent. Replaces declared fields of calls that succeeded by a
 * note of their length, if the note is shorter. A call before a thinking block stays whole, because that
 * block's signature covers it. The signatures in later answers cover the shortened form.
 */
export function withShortInputs(
  entry: ContextEntry,
  results: readonly StoredOf<"tool_result">[],
): ContextEntry {
  if (results.every(({ data }) => data.resend === undefined)) return entry;
  const fields = new Map(results.map(({ data }) => [data.call_id, data.success ? data.resend : undefined]));
  const free = entry.blocks.findLastIndex(isThinking) + 1;
  let changed = false;
  const blocks = entry.blocks.map((block, index) => {
    const declared = index >= free && isToolUse(block) ? fields.get(block.id) : undefined;
    if (declared === undefined) return block;
    const input = shortened((block as ToolUseBlock).input, declared);
    changed ||= input !== block.input;
    return { ...block, input };
  });
  return changed ? contextEntry(entry.role, blocks, entry.seq) : entry;
}

/**
 * Returns the first declared field that contains only a note of a length, e.g. `[saved: 4000 chars]`: the
 * model has copied the note from an earlier call.
 */
export function shortenedFieldIn(input: Json, fields: ShortenInput = {}): string | undefined {
  return Object.entries(fields).find(([field, done]) => {
    const [before, rest] = fieldOf(input, field)?.split(`[${done}: `) ?? [];
    return before === "" && /^\d+ chars\]$/.test(rest ?? "");
  })?.[0];
}

function shortened(input: Json, fields: ShortenInput): Json {
  const notes = Object.entries(fields).flatMap(([field, done]) => {
    const value = fieldOf(input, field);
    const note = `[${done}: ${value?.length} chars]`;
    return value !== undefined && note.length < value.length ? [[field, note] as const] : [];
  });
  return notes.length === 0 ? input : { ...(input as JsonObject), ...Object.fromEntries(notes) };
}

/** Returns a field's text; other values are never shortened. */
function fieldOf(input: Json, field: string): string | undefined {
  if (input === null || typeof input !== "object" || !Object.hasOwn(input, field)) return undefined;
  const value = (input as JsonObject)[field];
  return typeof value === "string" ? value : undefined;
}
