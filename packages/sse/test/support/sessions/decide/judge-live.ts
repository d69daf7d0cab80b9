import type { ContentBlock, SessionEvent, StoredEvent } from "@pawl/core";
import type { Made } from "../made.ts";
import { same } from "../same.ts";

/**
 * Asserts that the text which readers get while it is written is what the log has of the answer: no more, if a
 * hook has refused it, and no less.
 */
export function judgeLive({ live, log }: Pick<Made, "live" | "log">): void {
  for (const [attempt, text] of liveTexts(live)) {
    const answer = log.find((event) => event.type === "assistant_message" && event.data.attempt === attempt);
    const stored = answer?.type === "assistant_message" ? textOf(answer.data.content) : undefined;
    if (stored !== undefined) same(text, stored, `the text of the attempt ${attempt}, live`);
    else same([text, isRepeated(log, attempt)], [text, true], `the text of the attempt ${attempt} is lost`);
  }
}

function liveTexts(live: readonly SessionEvent[]): Map<number, string> {
  const blocks = new Map<number, Map<number, string>>();
  for (const event of live) {
    if (event.type !== "text_delta") continue;
    const { attempt, index, offset, text } = event.data;
    const texts = blocks.get(attempt) ?? new Map<number, string>();
    blocks.set(attempt, texts.set(index, (texts.get(index) ?? "").slice(0, offset) + text));
  }
  return new Map([...blocks].map(([attempt, texts]) => [attempt, [...texts.values()].join("")]));
}

const textOf = (content: readonly ContentBlock[]) =>
  content.map(({ type, text }) => (type === "text" ? String(text) : "")).join("");

/** Whether the model was asked again after an attempt. */
function isRepeated(log: readonly StoredEvent[], attempt: number): boolean {
  const next = log.slice(attempt).find(({ type }) => ["llm_request", "run_ended"].includes(type));
  return next?.type === "llm_request";
}
