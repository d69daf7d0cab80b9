import { type Json, type JsonObject, jsonSchema } from "@pawl/core";
import { checkBody, checkId, checkInput, invalid } from "../../request/check-body.ts";
import { awaitedAnswers, failedAnswer, type SaidAnswer } from "../base/answers.ts";
import type { DialectRequest, RequestLimits } from "../base/dialect.ts";

/** The names that a dialect gives to the fields of a request. */
export interface PlainFields {
  /** The field with the session's id. */
  session: string;
  /** The field with the list of the user's answers, and the names of an answer's own fields. */
  answers: { field: string; call: string; value: string };
  /**
   * The field with the client's history, of which only the last message is read. Default: clients send none.
   */
  messages?: string;
  /** The field with the id of a run to retry. Default: clients cannot retry a run. */
  retry?: string;
}

/** Accepts any object. Fields that the dialect does not know are ignored. */
const anything = jsonSchema<JsonObject>({ type: "object" });

/**
 * Parses a message, answers or a retry, for an existing session or a new one. A message counts once if it is
 * sent again with the same `client_message_id` or `clientMessageId`.
 *
 * @throws HTTPException 400 with the reason.
 */
export async function parsePlain(
  body: unknown,
  fields: PlainFields,
  limits: RequestLimits,
): Promise<DialectRequest> {
  const sent = await checkBody(anything, body);
  const session = partOf(sent, fields.session);
  if (session !== undefined && session !== null && typeof session !== "string") {
    throw invalid(
      `\`${fields.session}\` must be the id of a session, a string; got ${JSON.stringify(session).slice(0, 100)}.`,
    );
  }
  const sessionId = typeof session === "string" ? { sessionId: checkId(session) } : {};
  const retry = fields.retry === undefined ? undefined : partOf(sent, fields.retry);
  if (retry !== undefined) {
    if (typeof retry !== "string" || typeof session !== "string" || sent.message !== undefined)
      throw invalid(
        `\`${fields.retry}\` must be the id of the last run, beside \`${fields.session}\` and no message.`,
      );
    return { ...sessionId, begin: () => ({ retry: checkId(retry) }) };
  }
  const said = answersIn(sent, fields);
  if (said.length > 0) {
    if (sent.message !== undefined) throw invalid("Send either a message or answers, not both.");
    return { ...sessionId, begin: (view) => ({ answers: awaitedAnswers(view, said) }) };
  }
  const input = checkInput(messageIn(sent, fields), limits.maxInputLength);
  const name = sent.clientMessageId ?? sent.client_message_id;
  const clientMessageId = typeof name === "string" ? { clientMessageId: checkId(name) } : {};
  return { ...sessionId, begin: () => ({ input, ...clientMessageId }) };
}

function messageIn(sent: JsonObject, { messages }: PlainFields): string {
  const { message } = sent;
  if (typeof message === "string") return message;
  if (message !== undefined) throw invalid("`message` must be a string.");
  const last = lastMessage(sent, messages);
  if (last?.role !== "user")
    throw invalid("This request must have a message of the user, or answers to questions; it has neither.");
  if (typeof last.content === "string") return last.content;
  if (!Array.isArray(last.content) || !last.content.every(isTextBlock)) {
    throw invalid("A message must consist of text.");
  }
  return textIn(last.content);
}

function partOf(object: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** Joins text blocks with blank lines. */
function textIn(content: Json | undefined): string {
  const blocks = Array.isArray(content) ? content.flatMap(asObject) : [];
  return blocks.flatMap(({ text }) => (typeof text === "string" ? [text] : [])).join("\n\n");
}

function lastMessage(sent: JsonObject, field: string | undefined): JsonObject | undefined {
  const messages = field === undefined ? undefined : partOf(sent, field);
  return Array.isArray(messages) ? messages.slice(-1).flatMap(asObject)[0] : undefined;
}

function answersIn(sent: JsonObject, { answers, messages }: PlainFields): SaidAnswer[] {
  const listed = partOf(sent, answers.field);
  const own = Array.isArray(listed) ? listed.flatMap(asObject) : [];
  if (listed !== undefined && own.length === 0)
    throw invalid(`\`${answers.field}\` must be a list of at least one answer, each an object.`);
  if (own.length > 100) throw invalid("A request may have at most 100 answers.");
  const blocks = lastMessage(sent, messages)?.content;
  const results = Array.isArray(blocks) ? blocks.flatMap(asObject) : [];
  const inBlocks = results
    .filter(({ type }) => type === "tool_result")
    .map((block) => answer(block, "tool_use_id", "content"));
  if (inBlocks.length > 0 && inBlocks.length < results.length) {
    throw invalid("Send either a message or answers, not both.");
  }
  return [...own.map((one) => answer(one, answers.call, answers.value)), ...inBlocks];
}

function answer(one: JsonObject, call: string, value: string): SaidAnswer {
  const callId = partOf(one, call);
  if (typeof callId !== "string")
    throw invalid(`An answer must have the id of its call in \`${call}\`, a string.`);
  const result = partOf(one, value) ?? null;
  const error = partOf(one, "error");
  if (typeof error === "string" && result === null) return failedAnswer(callId, error);
  if (partOf(one, "is_error") === true) {
    return failedAnswer(callId, Array.isArray(result) ? textIn(result) : result);
  }
  const isBlocks = Array.isArray(result) && result.length > 0 && result.every(isTextBlock);
  const said = isBlocks ? textIn(result) : result;
  return { callId, value: said, isText: typeof said === "string" };
}

function isTextBlock(value: Json): boolean {
  return asObject(value).some(({ type, text }) => type === "text" && typeof text === "string");
}

function asObject(value: Json): JsonObject[] {
  return value !== null && typeof value === "object" && !Array.isArray(value) ? [value] : [];
}
