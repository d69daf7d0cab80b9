import type { StoredOf } from "../log/event.ts";
import { filePart } from "./outcome.ts";
import type { ViewMessage, ViewPart } from "./view.ts";

/** Adds a user's message, or replaces the one that has its id. */
export function withUserMessage(
  messages: readonly ViewMessage[],
  event: StoredOf<"user_message">,
): ViewMessage[] {
  const id = event.key?.startsWith("message:") ? event.key.slice("message:".length) : String(event.seq);
  const { message: text, files = [] } = event.data;
  const message: ViewMessage = {
    id,
    role: "user",
    text,
    parts: [
      ...files.map((file, at) => filePart(file, `${id}:${at}`)),
      ...(text === "" ? [] : [textPart(id, text)]),
    ],
    seq: event.seq,
    ...(event.data.queued && { queued: true }),
  };
  const known = messages.some((existing) => existing.id === id);
  return known
    ? messages.map((existing) => (existing.id === id ? message : existing))
    : [...messages, message];
}

function textPart(key: string, text: string): ViewPart {
  return { type: "text", key, text, open: false };
}
