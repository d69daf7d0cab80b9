import type { ViewMessage, ViewPart, ViewState } from "@pawl/core/view";
import { isOutcome } from "../base/outcomes.ts";
import type { Step } from "../base/telling.ts";
import type { AgUiMessage } from "./ag-ui-message.ts";

/**
 * Returns a source, a file, an artifact, an emitted part or the citations of a text as an activity. A page
 * keeps activities as
 * messages, shows those whose `activityType` it knows, and does not send them back. Returns an empty list for
 * any other part.
 */
export function activitiesOf(part: ViewPart): AgUiMessage[] {
  if (part.type === "text")
    return part.citations === undefined
      ? []
      : [activity(part.key, "citations", { text: part.text, citations: part.citations })];
  if (!isOutcome(part)) return [];
  if (part.type === "artifact") return [activity(part.key, "artifact", part.artifact)];
  if (part.type === "data") {
    const { name, key, id, data } = part;
    return [activity(key, name, { ...(id !== undefined && { id }), data })];
  }
  const { type, key, role: _, ...content } = part;
  return [activity(key, type, content)];
}

/** Returns a step with the part as the view has it: a part that replaces another one has its key. */
export function inView(step: Step, { messages }: ViewState): Step {
  if (step.type !== "outcome" || step.part.type !== "data" || step.part.id === undefined) return step;
  const { seq } = step.part;
  for (const message of messages)
    for (const part of message.parts)
      if (part.type === "data" && part.seq === seq)
        return { type: "outcome", part: inThread(part, message) as typeof part };
  return step;
}

/**
 * Returns a part of a message under a key that no part of another message has. An emitted part with an `id`
 * replaces the earlier one of its message, and a client keeps the activities of all messages by their ids.
 */
export function inThread(part: ViewPart, { id }: Pick<ViewMessage, "id">): ViewPart {
  return part.type === "data" && part.id !== undefined ? { ...part, key: `${id} ${part.key}` } : part;
}

function activity(key: string, activityType: string, content: object): AgUiMessage {
  return { id: `${activityType}-${key}`, role: "activity", activityType, content };
}
