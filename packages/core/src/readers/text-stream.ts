import type { Supply, Taker } from "../base/handed-out.ts";
import type { SessionEvent } from "../log/store/live-event.ts";

/** Supplies the text of answers as it arrives. A blank line separates the texts of different attempts. */
export function textsOf(events: Supply<SessionEvent>): Supply<string> {
  let before: number | undefined;
  const add = (texts: string[], event: SessionEvent) => {
    // A hook may change an answer, so the attempt's own text may come again.
    if (event.type === "attempt_restarted" && before !== undefined) before = 0;
    if (event.type !== "text_delta") return;
    const { attempt, text } = event.data;
    texts.push(before === undefined || before === attempt ? text : `\n\n${text}`);
    before = attempt;
  };
  return {
    fetch(to) {
      const taker: Taker<SessionEvent> = {
        batch(items) {
          const texts: string[] = [];
          for (const event of items) add(texts, event);
          if (texts.length > 0) to.batch(texts);
          else events.fetch(taker);
        },
        end: () => to.end(),
        fail: (error) => to.fail(error),
      };
      events.fetch(taker);
    },
    isOver: () => events.isOver(),
    close: () => events.close(),
  };
}
