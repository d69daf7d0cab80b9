import type { RefusedContent } from "../log/checkpoint.ts";

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
