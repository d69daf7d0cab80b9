import type { SessionEvent } from "../log/live-event.ts";

/** Yields the text of answers as it arrives. A blank line separates the texts of different attempts. */
export async function* textOfEvents(
  events: AsyncIterable<SessionEvent>,
): AsyncGenerator<string, void, undefined> {
  let before: number | undefined;
  for await (const event of events) {
    // A hook may change an answer, so the attempt's own text may come again.
    if (event.type === "attempt_restarted" && before !== undefined) before = 0;
    if (event.type !== "text_delta") continue;
    const { attempt, text } = event.data;
    yield before === undefined || before === attempt ? text : `\n\n${text}`;
    before = attempt;
  }
}
