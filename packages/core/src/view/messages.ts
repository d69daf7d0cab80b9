import { resendableBlocks } from "../context/echoable.ts";
import type { StoredOf } from "../log/event.ts";
import type { EventData } from "../log/event-data.ts";
import { FINAL_ANSWER } from "../log/final-answer.ts";
import { REDACTED } from "../log/store/redacted.ts";
import { isText, isToolUse } from "../model/content.ts";
import { joinedText } from "./change.ts";
import { citationsIn, filePart, foundParts } from "./outcome.ts";
import { redactedCall } from "./question-part.ts";
import { runMessageId } from "./run-message.ts";
import type { ViewMessage, ViewPart, ViewState } from "./view.ts";

/** Replaces the content of a redacted event in the messages, and in the last run. */
export function withoutRedacted(view: ViewState, event: StoredOf<"redaction">): ViewState {
  const { run } = view;
  const messages = redactedMessages(view.messages, event);
  if (run?.stop === undefined || run.id !== event.data.run_id) return { ...view, messages };
  return { ...view, messages, run: { ...run, stop: { ...run.stop, message: REDACTED } } };
}

function redactedMessages(messages: readonly ViewMessage[], { data }: StoredOf<"redaction">): ViewMessage[] {
  const texts = new Set<string>();
  return messages.map((message) => {
    if (message.role === "user" && message.seq !== data.seq) return message;
    const parts =
      message.role === "user"
        ? [textPart(message.id, REDACTED)]
        : message.parts.flatMap((part) => redactedPart(part, data, texts));
    return { ...message, text: joinedText(parts), parts };
  });
}

/**
 * Returns the part as the redaction leaves it, in a list; an empty list removes the part. Keys begin with the
 * `seq` of the part's event, or with the attempt of its answer. `texts` gets the keys of the answer's texts.
 */
function redactedPart(
  part: ViewPart,
  { of, seq, attempt, call_id, run_id }: StoredOf<"redaction">["data"],
  texts: Set<string>,
): ViewPart[] {
  // A later event may have replaced the data.
  if (part.type === "data") return [part.seq === seq ? { ...part, data: REDACTED } : part];
  if (part.key.startsWith(`${seq}:`) && of !== "tool_suspended") return [];
  if (part.type === "notice") return [part.key === `end:${run_id}` ? { ...part, text: REDACTED } : part];
  if (part.key.startsWith(`${attempt}:`)) {
    if (of === "output" && part.type === "output")
      return [{ type: "output", key: part.key, open: false, value: REDACTED }];
    if (of === "assistant_message" && part.type !== "output") return redactedAnswerPart(part, texts);
  }
  return [part.type === "tool" && part.callId === call_id ? redactedCall(part, of, seq) : part];
}

function redactedAnswerPart(part: ViewPart, texts: Set<string>): ViewPart[] {
  if (part.type === "thinking" || part.type === "source") return [];
  // A redacted answer is stored with one text.
  if (part.type === "text") return texts.add(part.key).size > 1 ? [] : [textPart(part.key, REDACTED)];
  return part.type === "tool" ? [{ ...part, arguments: {} }] : [part];
}

/**
 * Returns the id of a user's message in views: the id that its client gave, or else the `seq` of its event.
 *
 * @example
 * ```ts
 * import { memoryStore } from "@pawl/core";
 * import { userMessageId } from "@pawl/core/view";
 *
 * const store = memoryStore();
 * await store.sessions.create({ id: "s1", userId: "ada", agent: "coach" });
 * const said = { type: "user_message" as const, key: "message:m1", data: { message: "Hi" } };
 * const [event] = await store.append("s1", [said], { appendId: "a1" });
 * if (event?.type === "user_message") console.log(userMessageId(event)); // m1
 * ```
 */
export function userMessageId({ key, seq }: StoredOf<"user_message">): string {
  return key?.startsWith("message:") ? key.slice("message:".length) : String(seq);
}

/** Adds a user's message, or replaces the one that has its id. */
export function withUserMessage(
  messages: readonly ViewMessage[],
  event: StoredOf<"user_message">,
): ViewMessage[] {
  const id = userMessageId(event);
  const { message: text, files = [] } = event.data;
  const message: ViewMessage = {
    id,
    role: "user",
    text,
    parts: [
      ...files.map((file, index) => filePart(file, `${id}:${index}`)),
      ...(text === "" ? [] : [textPart(id, text)]),
    ],
    seq: event.seq,
    ...(event.data.queued && { queued: true }),
  };
  const isKnown = messages.some((existing) => existing.id === id);
  return isKnown
    ? messages.map((existing) => (existing.id === id ? message : existing))
    : [...messages, message];
}

function textPart(key: string, text: string): ViewPart {
  return { type: "text", key, text, open: false };
}

/**
 * Converts a stored answer of the model to view parts. Of an answer that was cut off, shows only the blocks
 * that later requests contain. Leaves out the run's output, which the event `output` shows.
 */
export function partsOf(data: EventData["assistant_message"]): ViewPart[] {
  return resendableBlocks(data).flatMap((block): ViewPart[] => {
    const key = `${data.attempt}:${data.content.indexOf(block)}`;
    if (isText(block) && data.output === "text") return [];
    if (isText(block)) return [{ ...textPart(key, block.text), ...citationsIn(block) }];
    if (block.type === "thinking" && block.thinking !== "") {
      return [{ type: "thinking", key, text: String(block.thinking), open: false }];
    }
    // Results of the API's own web search.
    if (block.type.startsWith("web_")) return foundParts(block, key);
    if (!isToolUse(block) || (data.output === "call" && block.name === FINAL_ANSWER)) return [];
    const { id: callId, name: toolName, input } = block;
    return [{ type: "tool", key, callId, toolName, phase: "running", arguments: input }];
  });
}

/**
 * Starts a retry in the view. The retry continues the failed run's message, and removes the parts after its
 * last tool call. Artifacts, emitted parts, and sources and files of calls, stay.
 */
export function retryInView(view: ViewState, { seq, data }: StoredOf<"run_started">): ViewState {
  const continues = runMessageId(view.run);
  const messages = view.messages.flatMap((message): ViewMessage[] => {
    if (message.id !== continues) return [message];
    const lastCall = message.parts.findLastIndex(({ type }) => type === "tool");
    const parts = message.parts.filter(
      (part, index) =>
        index <= lastCall || part.type === "artifact" || part.type === "data" || "callId" in part,
    );
    return parts.length === 0 ? [] : [{ ...message, parts, text: joinedText(parts) }];
  });
  return { ...view, messages, run: { id: data.run_id, seq, open: true, continues } };
}
