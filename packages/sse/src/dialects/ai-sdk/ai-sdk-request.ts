import { canBeRetried, type JsonObject, jsonSchema, PawlError, type Question, toJson } from "@pawl/core";
import { runMessageId, type ViewState } from "@pawl/core/view";
import { checkBody, checkId, id, invalid } from "../../request/check-body.ts";
import {
  checkParts,
  fileAt,
  hasFilesOf,
  type InputPart,
  type MessageInput,
  textOfInput,
} from "../../request/message-input.ts";
import { awaitedAnswers, failedAnswer, isApproval, type SaidAnswer } from "../base/answers.ts";
import type { Begin, DialectRequest, RequestLimits } from "../base/dialect.ts";
import { questionOf } from "../base/question-id.ts";

interface Message {
  id?: string;
  role: string;
  parts: JsonObject[];
}

interface Body {
  id: string;
  messages: Message[];
  trigger?: string;
  messageId?: string;
}

const schema = jsonSchema<Body>({
  type: "object",
  properties: {
    id: id(200),
    trigger: { enum: ["submit-message", "regenerate-message"] },
    messages: {
      type: "array",
      minItems: 1,
      items: {
        type: "object",
        properties: {
          id: { type: "string", maxLength: 200 },
          role: { enum: ["user", "assistant", "system"] },
          parts: { type: "array", items: { type: "object" } },
        },
        required: ["role", "parts"],
      },
    },
  },
  required: ["id", "messages"],
});

/**
 * A parsed request of `useChat`. With `continues`, the page keeps its last assistant message, and only the
 * rest of the message is sent.
 */
export interface AiSdkRequest extends DialectRequest {
  continues: boolean;
}

/** The fields that `DefaultChatTransport` sends by itself. */
const FIELDS: readonly string[] = ["id", "messages", "trigger", "messageId"];

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
 * answers in an assistant message.
 */
export async function parseAiSdk(body: unknown, { maxInputLength }: RequestLimits): Promise<AiSdkRequest> {
  const { id: threadId, messages, trigger, messageId } = await checkBody(schema, body);
  const last = messages.at(-1);
  const isRegenerate = trigger === "regenerate-message";
  if (last?.role === "user") {
    if (!isRegenerate && messageId !== undefined && messageId !== last.id) throw changed();
    const input = checkParts(last.parts.map(partOf), maxInputLength);
    const clientMessageId = last.id === undefined ? undefined : checkId(last.id);
    const message = { input, ...(clientMessageId !== undefined && { clientMessageId }) };
    const isAgain = isRegenerate || messageId !== undefined;
    const begin = (view: ViewState) => (isAgain ? again(view, message, isRegenerate) : message);
    return { threadId, begin, continues: false };
  }
  if (isRegenerate) throw answeredAlready();
  const shown = last?.role === "assistant" ? last : undefined;
  return { threadId, begin: (view) => resumed(view, shown), continues: true };
}

/**
 * Decides what a repeated message begins (`regenerate()`, or `sendMessage()` without a message). A message
 * that the session lacks counts as new. A message whose run failed is retried.
 */
function again(
  view: ViewState,
  message: { input: MessageInput; clientMessageId?: string },
  isRegenerate: boolean,
): Begin {
  const { messages, run, pending } = view;
  const known = messages.find(({ id: name }) => name === message.clientMessageId);
  if (known === undefined || run === undefined) return message;
  if (known.text !== textOfInput(message.input) || !hasFilesOf(known, message.input)) throw changed();
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
  const isLast = run !== undefined && pending.length === 0 && runMessageId(run) === shown?.id;
  if (isLast && canBeRetried(run)) {
    if (hasHalf(shown)) throw half();
    return { retry: run.id };
  }
  if (isLast && said.length === 0) throw answeredAlready();
  if (!said.some(answersOneOf(pending))) refuseOtherForm(pending, shown?.parts ?? []);
  return { answers: awaitedAnswers(view, said) };
}

function answersOneOf(pending: readonly Question[]): (said: SaidAnswer) => boolean {
  return ({ callId, fits }) => pending.some((open) => open.callId === callId && fits?.(open) !== false);
}

/**
 * Refuses a tool's output for an approval, and an approval for another question: the question is still open.
 *
 * @throws PawlError `invalid_answer`.
 */
function refuseOtherForm(pending: readonly Question[], parts: readonly JsonObject[]): void {
  for (const { toolCallId, state, approval } of parts) {
    const open = pending.find(({ callId }) => callId === toolCallId);
    if (open === undefined) continue;
    if (isApproval(open) && (state === "output-available" || state === "output-error"))
      throw new PawlError("invalid_answer", APPROVAL);
    const isApproved = state === "approval-responded" && questionOf(Object(approval).id) === open.seq;
    if (isApproved && !isApproval(open)) throw new PawlError("invalid_answer", OUTPUT);
  }
}

const APPROVAL =
  "This call waits for an approval, and a tool's output cannot approve it. Call addToolApprovalResponse({ id: part.approval.id, approved }).";

const OUTPUT =
  "This call waits for an answer, and an approval is not one. Call addToolOutput({ tool, toolCallId, output }).";

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

/**
 * Returns the user's answer in a part of an assistant message. Calls that ran on the server have no answer.
 */
function answerIn(part: JsonObject): SaidAnswer[] {
  const { toolCallId: callId, state, approval, providerExecuted } = part;
  if (!isTool(part) || typeof callId !== "string") return [];
  if (state === "approval-responded") return approvalIn(callId, approval);
  if (providerExecuted === true) return [];
  const fits = (question: { kind: string }) => !isApproval(question);
  if (state === "output-available") return [{ callId, value: toJson(part.output ?? null), fits }];
  if (state === "output-error") return [{ ...failedAnswer(callId, part.errorText), fits }];
  return [];
}

function isTool({ type }: JsonObject): boolean {
  return typeof type === "string" && (type.startsWith("tool-") || type === "dynamic-tool");
}

function approvalIn(callId: string, approval: unknown): SaidAnswer[] {
  if (approval === null || typeof approval !== "object") return [];
  const { id: name, approved, reason } = approval as JsonObject;
  const question = questionOf(name);
  if (question === undefined || typeof approved !== "boolean") return [];
  const value = { approved, ...(typeof reason === "string" && { reason }) };
  return [{ callId, value, question, fits: isApproval }];
}
