import { metrics } from "../../../../src/dialects.ts";
import type { PlainClient } from "./client.ts";
import { type Call, callsOf, isOver, joined, lastOf, textOf } from "./loaded.ts";

/** A client of the enterprise search: it shows text, a record of each call, and the questions that are open. */
export const metricsClient = (text: "live" | "settled"): PlainClient => ({
  dialect: metrics({ text }),
  isLive: text === "live",
  names: { session: "sessionId", messageId: "clientMessageId" },
  answers: (answers) => ({
    answers: answers.map(({ callId, value, error }) => ({
      callId,
      ...(error === undefined ? { value } : { error }),
    })),
  }),
  read: ({ type, ...event }, shown) => {
    const id = String(event.callId);
    if (type === "text") shown.text += event.text;
    if (type === "clarification") shown.calls.set(id, "asks");
    if (type === "metric") {
      const input = JSON.stringify(event.arguments);
      shown.calls.set(
        id,
        `${event.status === "success" ? "done" : event.status} ${input} ${event.resultSummary}`,
      );
    }
    if (type === "done") shown.last = "done";
    if (type !== "error") return;
    shown.text += event.message;
    shown.last = "error";
  },
  load: (view) => ({
    text: joined(textOf(view, ({ type }) => type !== "thinking")),
    calls: new Map(
      callsOf(view).flatMap((call): [string, string][] => {
        if (view.pending.some(({ callId }) => callId === call.callId)) return [[call.callId, "asks"]];
        return isOver(call) ? [[call.callId, recordOf(call)]] : [];
      }),
    ),
    last: lastOf(view) === "asks" ? "done" : lastOf(view),
  }),
});

function recordOf({ phase, arguments: written, input = written, result }: Call): string {
  const text = typeof result === "string" ? result : JSON.stringify(result);
  return `${phase} ${JSON.stringify(input)} ${text.slice(0, 200).toWellFormed()}`;
}
