import type { Json, JsonObject, Question } from "@pawl/core";
import { excessOf, type JsonBounds } from "@pawl/core/tools";
import { isObject, objectIn, own } from "../base/json.ts";

/** A question of Pawl as a form that MCP clients can show: fields with plain values. */
export interface Form {
  message: string;
  schema: JsonObject;
  /** Returns the answer's value for what the user has filled in. @throws Error if it is not an answer */
  valueOf(content: JsonObject): Json;
  /** The answer of a user who declines, if the question has one. */
  no: Json | undefined;
}

const PLAIN: readonly Json[] = ["string", "number", "integer", "boolean"];

/** Returns the form of a question. An answer that is not flat is asked for as JSON, in one field. */
export function formOf({ kind, toolName, payload, answerSchema }: Question): Form {
  const message = messageFor(kind, toolName, payload);
  const { properties, required } = answerSchema;
  const isApproval = kind === "approval";
  const no = isApproval ? { approved: false } : undefined;
  if (answerSchema.type === "object" && isObject(properties) && Object.values(properties).every(isPlain)) {
    const schema = { type: "object", properties, ...(Array.isArray(required) && { required }) };
    return { message, schema, valueOf: (content) => content, no };
  }
  // A question of another MCP server, which was a form in the first place.
  const form = own(objectIn(payload), "requestedSchema");
  if (kind === "elicitation" && isObject(form)) {
    const accepted = (content: JsonObject) => ({ action: "accept", content });
    return {
      message: String(own(objectIn(payload), "message") ?? message),
      schema: form,
      valueOf: accepted,
      no: { action: "decline" },
    };
  }
  const described = `JSON that matches ${JSON.stringify(answerSchema)}`;
  const schema = {
    type: "object",
    properties: { answer: { type: "string", description: described } },
    required: ["answer"],
  };
  return { message, schema, valueOf: ({ answer }) => answerIn(String(answer)), no };
}

/** What an answer in a text may have at most, like a message: the text counts as one of its values. */
const BOUNDS: JsonBounds = { levels: 100, values: 10_000 };

function answerIn(text: string): Json {
  const value: Json = JSON.parse(text);
  const excess = excessOf(value, BOUNDS);
  if (excess === undefined) return value;
  throw new SyntaxError(`An answer may have at most ${BOUNDS[excess]} ${excess}.`);
}

function isPlain(part: Json): boolean {
  const { type, enum: values } = objectIn(part);
  return PLAIN.includes(type ?? null) || (type === undefined && Array.isArray(values));
}

function messageFor(kind: string, toolName: string, payload: Json): string {
  const [text, ...others] = Object.values(objectIn(payload));
  const plain = others.length === 0 && typeof text === "string" ? text : payload;
  const shown = typeof plain === "string" ? plain : JSON.stringify(payload);
  return kind === "approval" ? `Approve ${shown}?` : `${toolName}: ${shown}`;
}

/**
 * Turns a client's response to a form (accept, decline or cancel) into the answer to the question.
 *
 * @throws Error if a filled-in form is not a valid answer
 */
export function answerTo(
  question: Question,
  { action, content }: JsonObject,
): { value: Json } | { error: string } {
  const form = formOf(question);
  if (action === "accept") return { value: form.valueOf(objectIn(content)) };
  return form.no === undefined ? { error: "The user declined to answer." } : { value: form.no };
}
