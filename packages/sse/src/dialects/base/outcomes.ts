import { REDACTED, type StoredEvent } from "@pawl/core";
import { newView, reduceView, type ViewPart } from "@pawl/core/view";

/** A part of the answer that is not streamed: a source, a file, an artifact or an emitted part. */
export type OutcomePart = Extract<ViewPart, { type: "source" | "file" | "artifact" | "data" }>;

/** Returns the parts that one event adds to the run's message. */
export function partsOfEvent(event: StoredEvent): ViewPart[] {
  const run = { id: "", seq: 0, open: true };
  return reduceView({ ...newView(), run }, event).messages.flatMap(({ parts }) => parts);
}

/** Returns the sources, files, artifacts and emitted parts that an event adds to the run's message. */
export function outcomesIn(event: StoredEvent): OutcomePart[] {
  return MAKERS.includes(event.type) ? partsOfEvent(event).filter(isOutcome) : [];
}

const MAKERS: readonly string[] = ["assistant_message", "tool_result", "artifact", "data_part"];

/** Returns whether a part is a source, a file, an artifact or an emitted part that was not redacted. */
export function isOutcome(part: ViewPart): part is OutcomePart {
  if (part.type === "data") return part.data !== REDACTED;
  return part.type === "source" || part.type === "file" || part.type === "artifact";
}

/** Returns the beginning of a part's key, which the parts of one answer have in common. */
export function answerOf({ type, key }: ViewPart): string {
  // An emitted part belongs to no answer, and its id may have colons.
  return type === "data" ? key : key.slice(0, key.indexOf(":"));
}
