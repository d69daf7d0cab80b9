import type { StoredOf } from "../log/event.ts";
import { joinedText } from "./change.ts";
import { runMessageId } from "./run-message.ts";
import type { ViewMessage, ViewState } from "./view.ts";

/**
 * Starts a retry in the view. The retry continues the failed run's message, without the parts after its last
 * tool call. Sources, files and artifacts of calls stay.
 */
export function retryInView(view: ViewState, { seq, data }: StoredOf<"run_started">): ViewState {
  const continues = runMessageId(view.run);
  const messages = view.messages.flatMap((message): ViewMessage[] => {
    if (message.id !== continues) return [message];
    const last = message.parts.findLastIndex(({ type }) => type === "tool");
    const parts = message.parts.filter(
      (part, at) => at <= last || part.type === "artifact" || "callId" in part,
    );
    return parts.length === 0 ? [] : [{ ...message, parts, text: joinedText(parts) }];
  });
  return { ...view, messages, run: { id: data.run_id, seq, open: true, continues } };
}
