import type { SessionEvent } from "../log/live-event.ts";

/** Yields the text of answers as it arrives. A blank line separates the texts of different attempts. */
export async function* textOfEvents(
  events: AsyncIterable<SessionEvent>,
): AsyncGenerator<string, void, undefined> {
  let before: number | undefined;
  for await (const event of events) {
    if (event.type !== "text_delta") continue;
    const { attempt, text } = event.data;
    yield before === undefined || before === attempt ? text : `\n\n${text}`;
    before = attempt;
  }
}
