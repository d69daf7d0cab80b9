/** The tags in which the model reads the record. */
export const TAGS = {
  plan: "Plan",
  clarifications: "Clarifications",
  history: "ToolCallHistory",
  review: "Review",
  docs: "ToolDescriptions",
} as const;

/** The tag in which the model reads the data of `fallback.retrieve`. */
export const RETRIEVED_TAG = "Retrieved";

/** The `source` of the knowledge that has the data of `fallback.retrieve`. */
export const RETRIEVED = "planning.retrieved";

const NAMES: ReadonlySet<string> = new Set(Object.values(TAGS));

/** Returns whether notes with this tag contain a part of the record. */
export function isRecordTag(tag: string): boolean {
  return NAMES.has(tag);
}
