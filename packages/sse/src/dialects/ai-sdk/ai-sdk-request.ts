import { canBeRetried, type JsonObject, jsonSchema, PawlError } from "@pawl/core";
import { runMessageId, type ViewState } from "@pawl/core/view";
import { checkBody, checkId, id, invalid } from "../../request/check-body.ts";
import {
  checkParts,
  fileAt,
  type InputPart,
  isSameMessage,
  type MessageInput,
} from "../../request/message-input.ts";
import type { EarlierMessage } from "../../request/read-thread.ts";
import { awaitedAnswers } from "../base/answers.ts";
import { checkNotCut } from "../base/cut-thread.ts";
import type { Begin, DialectRequest, RequestLimits } from "../base/dialect.ts";
import { knownIn } from "../base/known-answers.ts";
import { answerIn, answersOneOf, isTool, refuseOtherForm } from "./ai-sdk-answers.ts";

interface Message {
  id?: string;
  role: string;
  parts: JsonObject[];
}

interface Body {
  id: string;
  messages?: Message[];
  message?: Message;
  trigger?: string;
  messageId?: string;
}

const message = {
  type: "object",
  properties: {
    id: { type: "string", maxLength: 200 },
    role: { enum: ["user", "assistant", "system"] },
    parts: { type: "array", items: { type: "object" } },
  },
  required: ["role", "parts"],
};

const schema = jsonSchema<Body>({
  type: "object",
  properties: {
    id: id(200),
    trigger: { enum: ["submit-message", "regenerate-message"] },
    messages: { type: "array", minItems: 1, items: message },
    message,
  },
  required: ["id"],
});

/**
 * A parsed request of `useChat`. With `continues`, the page keeps its last assistant message, and only the
 * rest of the message is sent.
 */
export interface AiSdkRequest extends DialectRequest {
  continues: boolean;
}

/** The fields of a request: those that `DefaultChatTransport` sends by itself, and a single message. */
const FIELDS: readonly string[] = ["id", "messages", "message", "trigger", "messageId"];

const UNREAD =
  "The page sends fields of its own (`body` of its transport or of sendMessage()), which the agent does not read. handler({ extra: { fields, read } }) reads those that it names.";

/** Returns a warning for the developer if the page sends fields that nobody reads. */
export function unreadIn(body: unknown): string[] {
  const own = Object.entries(Object(body)).filter(
    ([name, value]) => !FIELDS.includes(name) && value !== null,
  );
  return own.length === 0 ? [] : [UNREAD];
}

/**
 * Parses a request of `DefaultChatTransport`. Reads only the last message: the user's text, or the user's
 * answers in an assistant message. The ids of earlier messages show whether the page has the end of the chat.
 */
export async function parseAiSdk(
  body: unknown,
  { maxInputLength }: RequestLimits,
  earlier: readonly EarlierMessage[],
): Promise<AiSdkRequest> {
  const { id: threadId, trigger, messageId, ...said } = await checkBody(schema, body);
  if ((said.messages === undefined) === (said.message === undefined))
    throw invalid("A request must have either `messages` or a single `message`.");
  const last = said.message ?? said.messages?.at(-1);
  const isRegenerate = trigger === "regenerate-message";
  if (last?.role === "user") {
    if (!isRegenerate && messageId !== undefined && messageId !== last.id) throw changed();
    const input = checkParts(last.parts.map(partOf), maxInputLength);
    const clientMessageId = last.id === undefined ? undefined : checkId(last.id);
    const message = { input, ...(clientMessageId !== undefined && { clientMessageId }) };
    const isAgain = isRegenerate || messageId !== undefined;
    const begin = async (view: ViewState) => {
      const isKnown = view.messages.some(({ id: name }) => name === clientMessageId);
      if (!isKnown) checkNotCut(earlier, view);
      return isAgain ? await again(view, message, isRegenerate) : await sent(view, message);
    };
    return { threadId, begin, continues: false };
  }
  if (isRegenerate) throw answeredAlready();
  const shown = last?.role === "assistant" ? last : undefined;
  return { threadId, begin: (view) => resumed(view, shown), continues: true };
}

type SentMessage = Extract<Begin, { input: MessageInput }>;

/**
 * Decides what a message of `sendMessage()` begins. The session's last message under its own id is tried
 * again if its run failed.
 */
async function sent({ messages, run }: ViewState, message: SentMessage): Promise<Begin> {
  const last = messages.findLast(({ role }) => role === "user");
  if (last === undefined || last.id !== message.clientMessageId) return message;
  const mayRetry = run?.failed === true && canBeRetried(run);
  return mayRetry && (await isSameMessage(last, message.input)) ? { retry: run.id } : message;
}

/**
 * Decides what a repeated message begins (`regenerate()`, or `sendMessage()` without a message). A message
 * that the session lacks counts as new. A message whose run failed is retried.
 */
async function again(view: ViewState, message: SentMessage, isRegenerate: boolean): Promise<Begin> {
  const { messages, run, pending } = view;
  const known = messages.find(({ id: name }) => name === message.clientMessageId);
  if (known === undefined || run === undefined) return message;
  if (!(await isSameMessage(known, message.input))) throw changed();
  if (known !== messages.findLast(({ role }) => role === "user")) throw answeredAlready();
  if (canBeRetried(run)) return { retry: run.id };
  if (run.open || pending.length > 0 || !isRegenerate) return { shown: true };
  throw answeredAlready();
}

/**
 * Decides what a request begins if its last message is not the user's. Continues the run with the user's
 * answers, or retries the run if it failed or was stopped and the page shows its message.
 */
function resumed(view: ViewState, shown: Message | undefined): Begin {
  const { run, pending } = view;
  const said = shown?.parts.flatMap(answerIn) ?? [];
  const known = knownIn(view);
  const isLast = run !== undefined && pending.length === 0 && runMessageId(run) === shown?.id;
  if (said.some((answer) => known(answer) === "late")) throw tooLate();
  if (isLast && canBeRetried(run)) {
    // Another tab may send an answer that the run had before it was stopped. Only regenerate() runs it again.
    if (run.stop?.type === "aborted" && said.length > 0) throw tooLate();
    if (hasHalf(shown)) throw half();
    return { retry: run.id };
  }
  if (isLast && said.length === 0) throw answeredAlready();
  if (!said.some(answersOneOf(pending))) refuseOtherForm(pending, shown?.parts ?? []);
  return { answers: awaitedAnswers(view, said) };
}

/**
 * Returns whether the page shows text of an answer that broke off. The page would keep it, and append the
 * retry's text to it.
 */
function hasHalf({ parts }: Message): boolean {
  const sinceCall = parts.slice(parts.findLastIndex(isTool) + 1);
  return sinceCall.some(({ type }) => type === "text" || type === "reasoning");
}

function half(): Error {
  return invalid(
    "The page shows a part of an answer that broke off, and would keep it. Call regenerate(), which removes it.",
  );
}

function tooLate(): Error {
  return new PawlError(
    "already_answered",
    "This answer came too late: its question is closed, has another answer, or its run was stopped. Load the messages again, or call regenerate() to try again.",
  );
}

function changed(): Error {
  return invalid(
    "A message that was sent cannot be changed, because a session has no branches. Send a new one.",
  );
}

function answeredAlready(): Error {
  return invalid(
    "This message has been answered. It cannot be answered again, because a session has no branches: load the messages again, or send a new one.",
  );
}

/** Converts a part of a user's message. Texts and files count; what else a page may send is refused. */
function partOf({ type, text, url, filename }: JsonObject): InputPart {
  if (type === "file") return fileAt(url, filename);
  if (type !== "text") throw invalid("A message must consist of text and files.");
  return { type, text: typeof text === "string" ? text : "" };
}
