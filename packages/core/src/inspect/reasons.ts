import type { EventData } from "../log/event-data.ts";
import type { StopReason } from "../log/stop-reason.ts";
import { quotedText } from "./short-text.ts";

/** Why a part of the conversation was left out or shortened, in words. */
export const WHY_REFUSED: Record<NonNullable<EventData["checkpoint"]["refused"]>["by"], string> = {
  size: "refused for its size",
  filter: "refused by a filter",
  model: "refused by the model",
  files: "refused for its files",
  hook: "refused by a hook",
  signature: "refused for its signature",
};

/** Why a run was left by its process, in words. */
export const WHY_LEFT: Record<EventData["run_left"]["reason"], string> = {
  draining: "its process shuts down",
  hand_over: "its process hands it over",
  taken_back: "its engine takes it back",
};

/** Describes why a run has ended: the type of the reason, and the message for the user. */
export function reasonText({ type, message }: StopReason): string {
  return `${type}: ${quotedText(message)}`;
}
