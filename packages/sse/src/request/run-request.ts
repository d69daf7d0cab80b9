import { type Answer, jsonSchema, type RunOptions } from "@pawl/core";
import { checkBody, checkInput, id, invalid } from "./check-body.ts";
import { checkParts } from "./message-input.ts";

/**
 * The body of `POST /runs` in the native dialect. Must have exactly one of `input`, `answers` and `retry`.
 */
export interface RunRequest {
  /** Id of the session to continue. Required with `answers` and `retry`. Default: a new session. */
  sessionId?: string;
  /**
   * The user's message: a text, or parts. A part of the type `file` has the `id` that `POST /files` returned.
   * A small file may have `data` in base64 instead.
   */
  input?: NonNullable<RunOptions["input"]>;
  /** Answers to the session's open questions. */
  answers?: Answer[];
  /** Id of the session's last run, if it failed, to run its message again. */
  retry?: string;
  /**
   * The client's own id of the message. A message that is sent again under its id is stored once, and the
   * same run is streamed.
   */
  clientMessageId?: string;
  /**
   * The tools that the client offers with this message, if the agent has `clientTools: true`, see
   * `RunOptions.clientTools`.
   */
  tools?: NonNullable<RunOptions["clientTools"]>;
}

const part = {
  oneOf: [
    {
      type: "object",
      properties: { type: { const: "text" }, text: { type: "string" } },
      required: ["type", "text"],
      additionalProperties: false,
    },
    {
      type: "object",
      properties: {
        type: { const: "file" },
        id: { type: "string", pattern: "^[0-9a-f]{64}$" },
        data: { type: "string" },
        name: { type: "string", maxLength: 1_000 },
      },
      required: ["type"],
      oneOf: [{ required: ["id"] }, { required: ["data"] }],
      additionalProperties: false,
    },
  ],
};

const schema = jsonSchema<RunRequest>({
  type: "object",
  properties: {
    sessionId: id(200),
    input: {
      anyOf: [
        { type: "string", minLength: 1 },
        { type: "array", minItems: 1, maxItems: 100, items: part },
      ],
    },
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
    // Core checks what is in them.
    tools: { type: "array", items: { type: "object" } },
  },
  additionalProperties: false,
});

/** Options of `run()` that only the server sets, and where it does so. */
const SET_BY_SERVER: ReadonlyMap<string, string> = new Map([
  ...["params", "knowledge", "metadata", "clientTools"].map(
    (name) => [name, "reads fields of your own with `extra`"] as const,
  ),
  ...["userId", "caller", "credentials"].map((name) => [name, "gets it from `authorize`"] as const),
]);

/**
 * Refuses options of `run()` that a client cannot send.
 *
 * @throws HTTPException 400
 */
function refuseServerFields(body: unknown): void {
  const name = Object.keys(Object(body)).find((field) => SET_BY_SERVER.has(field));
  if (name === undefined) return;
  throw invalid(`A client cannot send \`${name}\`: the server's handler() ${SET_BY_SERVER.get(name)}.`);
}

/**
 * Validates the body of `POST /runs`.
 *
 * @throws HTTPException 400 with the reason.
 */
export async function parseRunRequest(body: unknown, maxInputLength: number): Promise<RunRequest> {
  refuseServerFields(body);
  const asked = await checkBody(schema, body);
  const { input, answers, retry } = asked;
  if ([input, answers, retry].filter((one) => one !== undefined).length !== 1) {
    throw invalid("Send exactly one of `input`, `answers` and `retry`.");
  }
  if (typeof input === "string") checkInput(input, maxInputLength);
  else if (input !== undefined) return { ...asked, input: checkParts(input, maxInputLength) };
  return asked;
}
