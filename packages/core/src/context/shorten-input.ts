import { PawlError } from "../base/errors.ts";
import type { Json, JsonObject } from "../base/json.ts";
import type { StoredOf } from "../log/event.ts";
import type { ShortenInput } from "../log/event-parts.ts";
import { isThinking, isToolUse, type ToolUseBlock } from "../model/content.ts";
import type { ContextEntry } from "../session/context-entry.ts";
import { contextEntry } from "./project.ts";

/**
 * Returns the input fields of a tool to shorten, each with the first word of its note. If the tool lists only
 * field names, that word is `saved`. Checks the fields against the tool's input schema.
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
 * Shortens the inputs of calls in an answer of the model: replaces each field in `resend` by a note of its
 * length, if the note is shorter. Only calls that succeeded are shortened. A call before a thinking block
 * stays whole, because that block's signature covers it. The signatures in later answers cover the shortened
 * form.
 */
export function withShortInputs(
  entry: ContextEntry,
  results: readonly StoredOf<"tool_result">[],
): ContextEntry {
  if (results.every(({ data }) => data.resend === undefined)) return entry;
  const fieldsByCall = new Map(
    results.map(({ data }) => [data.call_id, data.success ? data.resend : undefined]),
  );
  // The first block that no signature of a thinking block covers.
  const firstFree = entry.blocks.findLastIndex(isThinking) + 1;
  let hasChanged = false;
  const blocks = entry.blocks.map((block, index) => {
    const declared = index >= firstFree && isToolUse(block) ? fieldsByCall.get(block.id) : undefined;
    if (declared === undefined) return block;
    const input = shortenedInput((block as ToolUseBlock).input, declared);
    hasChanged ||= input !== block.input;
    return { ...block, input };
  });
  return hasChanged ? contextEntry(entry.role, blocks, entry.seq) : entry;
}

/**
 * Returns the first field that contains only a note of a length, e.g. `[saved: 4000 chars]`, because the
 * model has copied the note from an earlier call. Returns `undefined` without one.
 */
export function shortenedFieldIn(input: Json, fields: ShortenInput = {}): string | undefined {
  return Object.entries(fields).find(([field, word]) => {
    const [beforeNote, rest] = textField(input, field)?.split(`[${word}: `) ?? [];
    return beforeNote === "" && /^\d+ chars\]$/.test(rest ?? "");
  })?.[0];
}

/** Replaces fields of an input by notes; returns the same input if no field is replaced. */
function shortenedInput(input: Json, fields: ShortenInput): Json {
  const notes = Object.entries(fields).flatMap(([field, word]) => {
    const text = textField(input, field);
    const note = `[${word}: ${text?.length} chars]`;
    return text !== undefined && note.length < text.length ? [[field, note] as const] : [];
  });
  return notes.length === 0 ? input : { ...(input as JsonObject), ...Object.fromEntries(notes) };
}

/** Returns the text of an input's field; `undefined` for any other value, which is never shortened. */
function textField(input: Json, field: string): string | undefined {
  if (input === null || typeof input !== "object" || !Object.hasOwn(input, field)) return undefined;
  const value = (input as JsonObject)[field];
  return typeof value === "string" ? value : undefined;
}
