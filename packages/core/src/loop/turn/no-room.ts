import { subtractUsd, usdFromCents } from "../../base/usd.ts";
import type { NewEvent } from "../../log/event.ts";
import type { StopReason } from "../../log/stop-reason.ts";
import { remainingOf } from "../../stop/limits.ts";
import { noRoomStop, roomFor } from "../../stop/room.ts";
import type { Leg } from "../leg/leg.ts";
import type { Attempt } from "./answer-events.ts";

/**
 * Returns why the limits do not allow the same request again, once the failed one is charged; `undefined` if
 * they do.
 */
export function noRoomFor(
  leg: Leg,
  charged: readonly NewEvent[],
  { request, pricing }: Pick<Attempt, "request" | "pricing">,
): StopReason | undefined {
  const left = remainingOf(leg.log.state, leg.agent, leg.life.legMs());
  for (const event of charged) {
    if (event.type !== "llm_response") continue;
    const { tokens, cost_cents } = event.data;
    left.amounts.inputTokens -= tokens.total - tokens.completion;
    left.amounts.outputTokens -= tokens.completion;
    left.amounts.costUsd = subtractUsd(left.amounts.costUsd, usdFromCents(cost_cents));
  }
  const maxTokens = request.params.max_tokens;
  const room = roomFor(left, { estimatedTokens: request.estimated_tokens, maxTokens, pricing }, false);
  if ("type" in room) return room;
  return room.maxTokens >= maxTokens ? undefined : noRoomStop(left, room.limitedBy ?? "outputTokens");
}
