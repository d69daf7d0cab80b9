import { type JsonObject, jsonSchema, toJson } from "@pawl/core";
import { checkBody, checkId, checkInput, id, invalid } from "../check-body.ts";
import { awaitedAnswers, isApproval, type SaidAnswer } from "./answers.ts";
import type { DialectRequest, RequestLimits } from "./dialect.ts";
import { questionOf } from "./question-id.ts";

interface Body {
  id: string;
  messages: { id?: string; role: string; parts: JsonObject[] }[];
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
 * What a `DefaultChatTransport` sends. Of the history that comes with it only the last message is read: the user's words,
 * or, where it is the assistant's, what the user has answered in it.
 */
export async function parseAiSdk(body: unknown, { maxInputLength }: RequestLimits): Promise<DialectRequest> {
  const { id: threadId, messages, trigger, messageId } = await checkBody(schema, body);
  const last = messages.at(-1);
  if (trigger === "regenerate-message") {
    throw invalid("What was said stays said: an answer cannot be made again. Send a new message.");
  }
  if (last?.role === "user") {
    if (messageId !== undefined) throw invalid("A message that was sent cannot be changed. Send a new one.");
    const input = checkInput(wordsOf(last.parts), maxInputLength);
    const clientMessageId = last.id === undefined ? undefined : checkId(last.id);
    return { threadId, begin: () => ({ input, ...(clientMessageId !== undefined && { clientMessageId }) }) };
  }
  const said = last?.role === "assistant" ? last.parts.flatMap(answerIn) : [];
  return { threadId, begin: (view) => ({ answers: awaitedAnswers(view, said) }) };
}

function wordsOf(parts: readonly JsonObject[]): string {
  const others = parts.find(({ type }) => type !== "text");
  if (others !== undefined) throw invalid("A message consists of text here.");
  return parts.map(({ text }) => (typeof text === "string" ? text : "")).join("\n\n");
}

/** What the user has answered in a part of the assistant's message. Calls that the server has run have answers of its own. */
function answerIn(part: JsonObject): SaidAnswer[] {
  const { type, toolCallId: callId, state, approval, providerExecuted } = part;
  const isTool = typeof type === "string" && (type.startsWith("tool-") || type === "dynamic-tool");
  if (!isTool || typeof callId !== "string") return [];
  if (state === "approval-responded") return approvalIn(callId, approval);
  if (providerExecuted === true) return [];
  const fits = (question: { kind: string }) => !isApproval(question);
  if (state === "output-available") return [{ callId, value: toJson(part.output ?? null), fits }];
  if (state === "output-error") return [{ callId, value: { error: String(part.errorText) }, fits }];
  return [];
}

function approvalIn(callId: string, approval: unknown): SaidAnswer[] {
  if (approval === null || typeof approval !== "object") return [];
  const { id: name, approved, reason } = approval as JsonObject;
  const question = questionOf(name);
  if (question === undefined || typeof approved !== "boolean") return [];
  const value = { approved, ...(typeof reason === "string" && { reason }) };
  return [{ callId, value, question, fits: isApproval }];
}
