import { sanitize } from "@pawl/core";

/** The tag around the results of tools. */
export const RESULT_TAG = "result";

/** Tags in which the trainer puts text that users wrote. */
const TAGS = [RESULT_TAG, "unit_preferences", "body_stats", "current_location"];

/**
 * Makes text from people or models safe to show the model: one line, at most `max` characters, unable to open
 * or close a tag.
 */
export function named(text: string, max = 120): string {
  const line = text.replace(/\s+/gu, " ").trim();
  const short = line.length > max ? `${line.slice(0, max - 1)}…` : line;
  return harmless(short);
}

/** Works like {@link named}, but for text of several lines and any length. */
export function harmless(text: string): string {
  return sanitize(text, { tags: TAGS });
}
