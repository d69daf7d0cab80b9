import type { ViewPart, ViewState } from "@pawl/core/view";
import { trainer } from "../../../../src/dialects.ts";
import type { PlainClient, Shown } from "./client.ts";
import { callsOf, isOver, lastOf } from "./loaded.ts";

/**
 * A client of the trainer: it shows what tools have returned, by their names, and why the last run has stopped.
 * The dialect says it in the last event of a stream, so of two runs in one stream only of the second.
 */
export const trainerClient: PlainClient = {
  dialect: trainer(),
  isLive: false,
  names: { session: "sessionId", messageId: "clientMessageId" },
  answers: (answers) => ({
    answers: answers.map(({ callId, value, error }) => ({
      callId,
      ...(error === undefined ? { value } : { error }),
    })),
  }),
  read: ({ type = "", ...event }, shown) => {
    if (type === "done" || type === "error") {
      shown.text = type === "done" ? "" : String(event.message);
      shown.last = type;
    }
    if (event.status === "done" || event.status === "failed")
      addResult(shown, type, event.status, event.data);
  },
  load: (view) => {
    const last = lastWord(view);
    const parts = view.messages.flatMap((message) => message.parts);
    const why = parts.flatMap((part) =>
      part.type === "notice" && part.stop !== "aborted" ? [part.text] : [],
    );
    const shown: Shown = { text: last === "error" ? (why.at(-1) ?? "") : "", calls: new Map(), last };
    for (const call of callsOf(view).filter(isOver))
      addResult(shown, call.toolName, call.phase === "done" ? "done" : "failed", call.result);
    return shown;
  },
};

/** How the last stream ends: the dialect says in an error why a run has stopped. */
function lastWord(view: ViewState): Shown["last"] {
  const isNotice = (part: ViewPart) =>
    part.type === "notice" && part.key === `end:${view.run?.id}` && part.stop !== "aborted";
  const last = lastOf(view);
  if (last === "done" && view.messages.some(({ parts }) => parts.some(isNotice))) return "error";
  return last === "asks" ? "done" : last;
}

/** The dialect does not name calls: the same result may come several times. */
function addResult({ calls }: Shown, ...result: unknown[]): void {
  const name = JSON.stringify(result);
  calls.set(name, `${Number.parseInt(calls.get(name) ?? "0", 10) + 1} times`);
}
