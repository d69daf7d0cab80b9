import type { ViewPart, ViewState } from "@pawl/core/view";

export type Call = Extract<ViewPart, { type: "tool" }>;

/** The text of parts of the agent's messages, in order. Blank lines between them are the dialects' own. */
export function textOf({ messages }: ViewState, isShown: (part: ViewPart) => boolean): string {
  const parts = messages.filter(({ role }) => role === "assistant").flatMap((message) => message.parts);
  return parts.map((part) => ("text" in part && isShown(part) ? part.text : "")).join("");
}

/** Text without the blank lines that dialects put between its parts. */
export const joined = (text: string): string => text.replaceAll("\n\n", "");

export function callsOf({ messages }: ViewState): Call[] {
  return messages.flatMap(({ parts }) => parts.filter((part) => part.type === "tool"));
}

/** Whether a call has its result, and not only the answer to its last question. */
export function isOver({ phase, key, questions, resultSeq }: Call): boolean {
  if (phase === "running" || phase === "waiting") return false;
  return key.endsWith(":ask") || questions?.at(-1)?.resultSeq !== resultSeq;
}

/** How the stream of a session's last run ends. */
export function lastOf({ run, pending }: ViewState): "open" | "done" | "asks" | "error" {
  if (run === undefined || run.open) return "open";
  if (pending.length > 0) return "asks";
  return run.failed === true ? "error" : "done";
}
