import { asp } from "../../../../src/dialects.ts";
import type { PlainClient, PlainEvent } from "./client.ts";
import { callsOf, isOver, joined, lastOf, textOf } from "./loaded.ts";

/** A client of ASP v2: it shows text, thinking, calls with their results, and which calls wait for it. */
export const aspClient = (text: "live" | "settled"): PlainClient => ({
  dialect: asp({ text }),
  isLive: text === "live",
  names: { session: "session_id", messageId: "client_message_id", retry: "retry" },
  answers: (answers) => ({
    tool_results: answers.map(({ callId, value, error }) => ({
      tool_use_id: callId,
      content: error ?? value,
      ...(error !== undefined && { is_error: true }),
    })),
  }),
  read: ({ type, ...event }, shown) => {
    const id = String(event.tool_use_id);
    if (type === "text" || type === "thinking") shown.text += event.text;
    if (type === "tool") shown.calls.set(id, "open");
    if (type === "tool_result") shown.calls.set(id, `${phaseOf(event)} ${JSON.stringify(event.content)}`);
    if (type === "message_stop") shown.last = event.stop_reason === "tool_use" ? "asks" : "done";
    if (type !== "error") return;
    shown.text += event.message;
    shown.last = "error";
  },
  load: (view) => ({
    text: joined(textOf(view, () => true)),
    calls: new Map(
      callsOf(view).map((call) => {
        const result = `${call.phase} ${JSON.stringify(call.result)}`;
        return [call.callId, isOver(call) ? result : "open"];
      }),
    ),
    last: lastOf(view),
  }),
});

function phaseOf({ skipped, is_error }: PlainEvent): string {
  if (skipped !== undefined) return "skipped";
  return is_error === true ? "error" : "done";
}
