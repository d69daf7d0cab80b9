import { type Answer, jsonSchema } from "@pawl/core";
import { checkBody, checkInput, id, invalid } from "./check-body.ts";

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
        properties: {
          callId: id(200),
          value: true,
          error: { type: "string", maxLength: 10_000 },
          question: { type: "integer", minimum: 1 },
        },
        required: ["callId"],
        oneOf: [{ required: ["value"] }, { required: ["error"] }],
        additionalProperties: false,
      },
    },
    clientMessageId: id(200),
  },
  additionalProperties: false,
});

/**
 * Checks the body of `POST /runs`.
 *
 * @throws HTTPException 400 that says what is wrong.
 */
export async function parseRunRequest(body: unknown, maxInputLength: number): Promise<RunRequest> {
  const asked = await checkBody(schema, body);
  const { input, answers, sessionId } = asked;
  if ((input === undefined) === (answers === undefined)) {
    throw invalid("Send either a message or answers.");
  }
  if (answers !== undefined && sessionId === undefined) throw invalid("Answers need a session.");
  if (input !== undefined) checkInput(input, maxInputLength);
  return asked;
}
