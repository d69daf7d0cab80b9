import type { EventData } from "../log/event-data.ts";
import type { RefusedContent } from "../log/event-parts.ts";

const REFUSED_WORDS: Record<RefusedContent["by"], string> = {
  size: "shortened, because the request was too long",
  filter: "left out, because a filter of the provider refused it",
  model: "left out, because the model refused it twice in a row",
  signature: "thinking left out, because the provider refused its signature",
  files: "files left out, because the provider refused them",
};

/** Says why a checkpoint has left something out, and how many events it changes. */
export function refusedWords({ by, events }: RefusedContent): string {
  const count = events.length === 1 ? "1 event" : `${events.length} events`;
  return events.length === 0 ? REFUSED_WORDS[by] : `${REFUSED_WORDS[by]}: ${count}`;
}

/** Why a run was left by its process, in words. */
export const LEFT: Record<EventData["run_left"]["reason"], string> = {
  draining: "its process shuts down",
  hand_over: "its process hands it over",
  taken_back: "its engine takes it back",
};
