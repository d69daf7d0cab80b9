import type { StoredOf } from "../log/event.ts";
import type { Delta, LiveEvent } from "../log/store/live-event.ts";
import { type ContentBlock, isText } from "../model/content.ts";
import type { ReaderState } from "./cursor.ts";

type Shown = Parameters<NonNullable<ReaderState["shown"]>["set"]>[1];

/**
 * Yields the text and thinking of a stored answer that a reader has not been shown, as deltas. If an answer's
 * last words and its end arrive in one packet, the answer is stored before any reader sees those words. If a
 * hook has changed what was shown, that text becomes void and the whole answer is sent.
 */
// Blocks are matched by kind and order, not by index: thinking without a signature is not stored, so
// positions in the stored answer can differ from those in the reply.
export function* restOfAnswer(
  { data: { content: whole, attempt, disposition, output } }: StoredOf<"assistant_message">,
  seen: ReaderState,
): Generator<LiveEvent> {
  if (disposition === "discarded") return;
  // Left out because the event `output`, which follows, has the whole output.
  const content = output === "text" ? whole.filter((block) => !isText(block)) : whole;
  const shown = seen.attempt === attempt ? [...(seen.shown?.values() ?? [])] : [];
  if (shown.length > 0 && isChanged(content, shown, seen)) {
    yield { type: "attempt_restarted", data: { attempt } };
    shown.length = 0;
  }
  let last = -1;
  for (const [position, block] of content.entries()) {
    const { type, text } = textIn(block);
    if (text === "") continue;
    const at = shown.findIndex((part) => part.type === type);
    const [part] = at < 0 ? [] : shown.splice(at, 1);
    const { index, chars } = part ?? { index: Math.max(position, last + 1), chars: 0 };
    last = index;
    const data: Delta = { attempt, index, offset: chars, text: text.slice(chars) };
    if (data.text !== "") yield { type, data };
  }
}

function textIn(block: ContentBlock): { type: "text_delta" | "thinking_delta"; text: string } {
  if (isText(block)) return { type: "text_delta", text: block.text };
  const { type, thinking } = block as { type: string; thinking?: string };
  return { type: "thinking_delta", text: type === "thinking" ? (thinking ?? "") : "" };
}

/** Returns whether the text that a reader was shown is not the beginning of the stored text. */
function isChanged(content: readonly ContentBlock[], shown: readonly Shown[], { parts = [] }: ReaderState) {
  const stored = content.filter(isText).filter(({ text }) => text !== "");
  const texts = shown.filter(({ type }) => type === "text_delta");
  return texts.some(({ index, chars }, at) => {
    const written = parts.find((part) => part.index === index)?.pieces.join("");
    const start = (text = "") => text.slice(0, chars).toWellFormed();
    return written !== undefined && start(written) !== start(stored[at]?.text);
  });
}
