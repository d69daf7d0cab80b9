import type { ViewPart } from "@pawl/core/view";
import { isOutcome } from "../base/outcomes.ts";
import type { AgUiMessage } from "./ag-ui-message.ts";

/**
 * Returns a source, a file, an artifact or the citations of a text as an activity. A page keeps activities as
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
  const { type, key, ...content } = part;
  return [activity(key, type, content)];
}

function activity(key: string, activityType: string, content: object): AgUiMessage {
  return { id: `${activityType}-${key}`, role: "activity", activityType, content };
}
