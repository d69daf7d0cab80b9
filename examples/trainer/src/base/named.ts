import { sanitize } from "@pawl/core";

/** Tags in which the trainer puts what users have written. */
const TAGS = ["result", "unit_preferences", "body_stats", "current_location"];

/**
 * Text that people or models have written, on one line, of bounded length, and unable to open or close a tag.
 */
export function named(text: string, max = 120): string {
  const line = text.replace(/\s+/gu, " ").trim();
  const short = line.length > max ? `${line.slice(0, max - 1)}…` : line;
  return harmless(short);
}

/** The same for text of several lines and any length. */
export function harmless(text: string): string {
  return sanitize(text, { tags: TAGS });
}
