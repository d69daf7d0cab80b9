import { type Json, runMessageId, type ViewMessage, type ViewState } from "@pawl/core";

/** A message of AG-UI. */
export type AgUiMessage = { readonly id: string; readonly role: string; readonly [field: string]: unknown };

/** `{ threadId, messages }`: a session as AG-UI messages, for `new HttpAgent({ threadId, initialMessages })`. */
export function agUiHistory(view: ViewState, threadId: string): object {
  const writing = view.run?.open === true ? runMessageId(view.run) : undefined;
  const messages = view.messages.filter(({ id }) => id !== writing);
  return { threadId, messages: agUiMessages({ ...view, messages }) };
}

/** The messages as a client has them that was told all of them. */
export function agUiMessages({ messages }: ViewState): AgUiMessage[] {
  return messages.flatMap((message) =>
    message.role === "user" ? [{ id: message.id, role: "user", content: message.text }] : answersOf(message),
  );
}

/** Each answer of the model is a message, behind its thinking and before the results of its calls. */
function answersOf({ parts }: ViewMessage): AgUiMessage[] {
  const attempts = new Map<string, typeof parts>();
  for (const part of parts) {
    if (part.type === "notice") continue;
    const attempt = part.key.slice(0, part.key.indexOf(":"));
    attempts.set(attempt, [...(attempts.get(attempt) ?? []), part]);
  }
  return [...attempts].flatMap(([attempt, all]) => {
    const thoughts = all.flatMap((part) =>
      part.type === "thinking" ? [{ id: thoughtId(part.key), role: "reasoning", content: part.text }] : [],
    );
    const text = all.map((part) => (part.type === "text" ? part.text : "")).join("");
    const calls = all.filter((part) => part.type === "tool");
    const toolCalls = calls.map(({ callId, toolName, arguments: input }) => ({
      id: callId,
      type: "function",
      function: { name: toolName, arguments: JSON.stringify(input) },
    }));
    const isEmpty = text === "" && toolCalls.length === 0;
    const answer = {
      id: answerId(attempt),
      role: "assistant",
      ...(text !== "" && { content: text }),
      ...(toolCalls.length > 0 && { toolCalls }),
    };
    const results = calls.flatMap(({ callId: toolCallId, phase, result }) =>
      phase === "done" || phase === "error"
        ? [{ id: resultId(toolCallId), role: "tool", toolCallId, content: contentOf(result ?? null) }]
        : [],
    );
    return [...thoughts, ...(isEmpty ? [] : [answer]), ...results];
  });
}

/** The message of an answer; `attempt` as in `llm_request`. */
export function answerId(attempt: string | number): string {
  return `answer-${attempt}`;
}

export function thoughtId(key: string): string {
  return `thought-${key}`;
}

export function resultId(callId: string): string {
  return `result-${callId}`;
}

/** A result as text: a string as it is, anything else as JSON. */
export function contentOf(result: Json): string {
  return typeof result === "string" ? result : JSON.stringify(result);
}
