import { type Answer, jsonSchema } from "@pawl/core";
import { checkBody, checkInput, id, invalid } from "./check-body.ts";

/**
 * The body of `POST /runs` in the native dialect. Must have exactly one of `input`, `answers` and `retry`.
 */
export interface RunRequest {
  /** Id of the session to continue. Required with `answers` and `retry`. Default: a new session. */
  sessionId?: string;
  /** The user's message. */
  input?: string;
  /** Answers to the session's open questions. */
  answers?: Answer[];
  /** Id of the session's last run, if it failed, to run its message again. */
  retry?: string;
  /**
   * The client's own id of the message. A message that is sent again under its id is stored once, and the
   * same run is streamed.
   */
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
    retry: id(200),
    clientMessageId: id(200),
  },
  additionalProperties: false,
});

/**
 * Validates the body of `POST /runs`.
 *
 * @throws HTTPException 400 with the reason.
 */
export async function parseRunRequest(body: unknown, maxInputLength: number): Promise<RunRequest> {
  const asked = await checkBody(schema, body);
  const { input, answers, retry } = asked;
  if ([input, answers, retry].filter((one) => one !== undefined).length !== 1) {
    throw invalid("Send exactly one of `input`, `answers` and `retry`.");
  }
  if (input !== undefined) checkInput(input, maxInputLength);
  return asked;
}
