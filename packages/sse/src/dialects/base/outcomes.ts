import type { StoredEvent } from "@pawl/core";
import { newView, reduceView, type ViewPart } from "@pawl/core/view";

/** A part of the answer that is not streamed: a source, a file or an artifact. */
export type OutcomePart = Extract<ViewPart, { type: "source" | "file" | "artifact" }>;

/** Returns the parts that one event adds to the run's message. */
export function partsOfEvent(event: StoredEvent): ViewPart[] {
  const run = { id: "", seq: 0, open: true };
  return reduceView({ ...newView(), run }, event).messages.flatMap(({ parts }) => parts);
}

/** Returns the sources, files and artifacts that an event adds to the run's message. */
export function outcomesIn(event: StoredEvent): OutcomePart[] {
  return MAKERS.includes(event.type) ? partsOfEvent(event).filter(isOutcome) : [];
}

const MAKERS: readonly string[] = ["assistant_message", "tool_result", "artifact"];

/** Returns whether a part is a source, a file or an artifact. */
export function isOutcome(part: ViewPart): part is OutcomePart {
  return part.type === "source" || part.type === "file" || part.type === "artifact";
}
