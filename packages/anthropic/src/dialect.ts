import { type ContentBlockParam, isToolUse } from "@pawl/core";
import { type ModelEvent, type RawUsage, stopReasonNamed } from "@pawl/core/model";

/**
 * Makes a function that changes the events of one answer where a server deviates from the Messages API, and
 * adds to each usage what is charged besides tokens. It returns an event to send after the given one, if any.
 *
 * - Gateways spell stop reasons as the servers behind them do.
 * - Gateways end an answer with a call in it with `end_turn`.
 * - The API reports its web searches only at the end. A `message_delta` reports each when its result arrives,
 *   so that limits on cost can stop the answer.
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
        if (isToolUse(event.content_block)) calls.add(event.index);
        if (!isSearch(event.content_block)) return undefined;
        searches += 1;
        const usage = charge({ server_tool_use: { web_search_requests: searches } });
        return { type: "message_delta", delta: { stop_reason: null }, usage };
      }
      case "content_block_stop":
        hasCall ||= calls.has(event.index);
        return undefined;
      case "message_delta":
        event.delta.stop_reason = stopOf(event.delta.stop_reason, hasCall);
        if (event.usage) event.usage = charge(event.usage);
        return undefined;
      default:
        return undefined;
    }
  };
}

function stopOf(sent: string | null, hasCall: boolean): string | null {
  const stop = sent ? stopReasonNamed(sent) : sent;
  return hasCall && stop === "end_turn" ? "tool_use" : stop;
}

/**
 * Returns whether a block is the result of a search. A failed one has an error instead of a list, and is
 * free.
 */
function isSearch({ type, content }: ContentBlockParam): boolean {
  return type === "web_search_tool_result" && Array.isArray(content);
}
