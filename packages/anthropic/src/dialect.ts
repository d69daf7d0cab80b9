import { type ModelEvent, type RawUsage, stopReasonNamed } from "@pawl/core/model";

/**
 * Makes a function that changes the events of one answer where a server deviates from the Messages API, and adds
 * to each usage what is charged besides tokens. It returns an event to send after the given one, if any.
 *
 * - Gateways spell stop reasons as the servers behind them do.
 * - Gateways end an answer with a call in it with `end_turn`.
 * - The API reports its web searches only at the end. A `message_delta` reports each when its result arrives, so
 *   that limits on cost can stop the answer.
 */
export function dialectReader(
  charge: (usage: object) => RawUsage,
): (event: ModelEvent) => ModelEvent | undefined {
  const calls = new Set<number>();
  let hasCall = false;
  let searches = 0;
  return (event) => {
    switch (event.type) {
      case "message_start":
        if (event.message.usage) event.message.usage = charge(event.message.usage);
        return undefined;
      case "content_block_start": {
        const { type, content } = event.content_block;
        if (type === "tool_use") calls.add(event.index);
        // A failed search has an error instead of a list, and is free.
        if (type !== "web_search_tool_result" || !Array.isArray(content)) return undefined;
        searches += 1;
        const usage = charge({ server_tool_use: { web_search_requests: searches } });
        return { type: "message_delta", delta: { stop_reason: null }, usage };
      }
      case "content_block_stop":
        hasCall ||= calls.has(event.index);
        return undefined;
      case "message_delta": {
        const { delta } = event;
        if (delta.stop_reason) delta.stop_reason = stopReasonNamed(delta.stop_reason);
        if (hasCall && delta.stop_reason === "end_turn") delta.stop_reason = "tool_use";
        if (event.usage) event.usage = charge(event.usage);
        return undefined;
      }
      default:
        return undefined;
    }
  };
}
