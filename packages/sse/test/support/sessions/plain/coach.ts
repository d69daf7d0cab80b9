import type { StoredEvent } from "@pawl/core";
import { coach } from "../../../../src/dialects.ts";
import type { PlainClient, Shown } from "./client.ts";
import { joined, lastOf, textOf } from "./loaded.ts";

/** A client of the life coach: it shows text, and the calls that have worked. */
export const coachClient = (text: "live" | "settled"): PlainClient => ({
  dialect: coach({ text }),
  isLive: text === "live",
  names: { session: "sessionId", messageId: "clientMessageId" },
  answers: (answers) => ({
    toolResults: answers.map(({ callId, value, error }) => ({
      toolUseId: callId,
      ...(error === undefined ? { result: value } : { error }),
    })),
  }),
  read: ({ type, text: piece, toolCall, error }, shown) => {
    if (type === "[DONE]" && shown.last === "open") shown.last = "done";
    if (piece !== undefined) shown.text += piece;
    if (toolCall !== undefined) addCall(shown, Object(toolCall));
    if (error === undefined) return;
    // The tools of these sessions ask what this client cannot show.
    const asks = String(error).includes("cannot show");
    shown.last = asks ? "asks" : "error";
    if (!asks) shown.text += error;
  },
  load: (view, log) => ({
    text: joined(textOf(view, ({ type }) => type !== "thinking")),
    calls: new Map(worked(log)),
    last: lastOf(view),
  }),
});

function addCall({ calls }: Shown, { id, name }: { id: string; name: string }): void {
  calls.set(id, name);
}

/** The calls that have begun to work, or have a result without a question. */
function worked(log: readonly StoredEvent[]): [string, string][] {
  const asked = new Set<string>();
  return log.flatMap(({ type, data }): [string, string][] => {
    if (type === "tool_suspended") asked.add(data.call_id);
    const isWork = type === "tool_started" || (type === "tool_result" && !asked.has(data.call_id));
    return isWork ? [[data.call_id, data.tool_name]] : [];
  });
}
