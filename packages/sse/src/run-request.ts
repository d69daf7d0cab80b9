import { type Answer, type JsonObject, jsonSchema, validate } from "@pawl/core";
import { refusal } from "./wire-error.ts";

/** The body of `POST /runs`: a message, or answers to what the session asks. */
export interface RunRequest {
  /** The session to go on with; a new one without. */
  sessionId?: string;
  /** The user's message. */
  input?: string;
  answers?: Answer[];
  /** The client's own id of the message: sent again, it is stored once and the same run is shown. */
  clientMessageId?: string;
}

/** No control characters: ids go into headers, keys and logs. */
const id = (maxLength: number): JsonObject => ({
  type: "string",
  minLength: 1,
  maxLength,
  pattern: "^[^\\u0000-\\u001f\\u007f]*$",
});

const schema = jsonSchema<RunRequest>({
  type: "object",
  properties: {
    sessionId: id(200),
    input: { type: "string", minLength: 1 },
    answers: {
      type: "array",
      minItems: 1,
      maxItems: 100,
      items: {
        type: "object",
        properties: { callId: id(200), value: true, question: { type: "integer", minimum: 1 } },
        required: ["callId", "value"],
        additionalProperties: false,
      },
    },
    clientMessageId: id(200),
  },
  additionalProperties: false,
});

/** How deep a body may be nested; what is deeper is an attack, not an answer. */
const MAX_DEPTH = 100;

/**
 * Checks the body of `POST /runs`.
 *
 * @throws HTTPException 400 that says what is wrong.
 */
export async function parseRunRequest(body: unknown, maxInputLength: number): Promise<RunRequest> {
  if (isDeeperThan(body, MAX_DEPTH)) throw invalid("The body is nested too deeply.");
  const checked = await validate(schema, body);
  if (!checked.ok) throw invalid(`This is no request for a run: ${checked.problems.join("; ")}`);
  const { input, answers, sessionId } = checked.value;
  if ((input === undefined) === (answers === undefined)) {
    throw invalid("Send either a message or answers.");
  }
  if (answers !== undefined && sessionId === undefined) throw invalid("Answers need a session.");
  if (input !== undefined && input.trim() === "") throw invalid("The message is empty.");
  if (input !== undefined && input.length > maxInputLength) {
    throw invalid(`The message may have at most ${maxInputLength} characters.`);
  }
  return checked.value;
}

function invalid(message: string) {
  return refusal(400, "invalid_input", message);
}

/** Level by level, because recursion is what a deep value is meant to break. */
function isDeeperThan(value: unknown, depth: number): boolean {
  let level = [value];
  for (let left = depth; level.length > 0; left -= 1) {
    if (left === 0) return true;
    level = level.flatMap((part) => (part !== null && typeof part === "object" ? Object.values(part) : []));
  }
  return false;
}
