import type { Json, JsonObject, Schema } from "@pawl/core";
import { untrustedSchema, withoutHidden } from "@pawl/core/tools";
import { McpFailure } from "../base/failure.ts";
import { isObject, objectIn } from "../base/json.ts";
import { formAnswer, shownForm } from "./form.ts";

/** What a call needs to continue after its question: stored with it in the log. */
export interface AskedState extends JsonObject {
  /** The rounds of questions so far. */
  round: number;
  /** The server's requests of this round, by their keys. */
  requests: JsonObject;
  /** The user's answers of this round so far, as the server expects them. */
  answers: JsonObject;
  /** The key of the request that the user is being asked. */
  asking: string;
  /** The server's own state: echoed as it is, or sealed. */
  requestState: Json;
  isSealed: boolean;
}

/** A question of a server, as a tool asks it. */
export interface McpQuestion {
  kind: string;
  payload: JsonObject;
  answer: Schema;
}

/** The longest form of a server, in characters of JSON. */
const MOST_CHARS = 50_000;

/** The longest state and requests of one round, in characters of JSON. They are stored with the question. */
const MOST_ROUND_CHARS = 500_000;

/** Refuses a round of questions that would fill the log. @throws McpFailure */
export function checkRound(server: string, requests: JsonObject, requestState: string | null = null): void {
  const length = JSON.stringify(requests).length + (requestState?.length ?? 0);
  if (length > MOST_ROUND_CHARS) throw cannotAsk(server, "its questions, with their state, are too long");
}

/**
 * Returns the question for a server's request: a form, or a page to open with its `url` and `host`. Its
 * answer is `{ action: "accept", content }`, `{ action: "decline" }` or `{ action: "cancel" }`.
 *
 * @throws McpFailure for a request that no user can answer
 */
export function questionFor(server: string, tool: string, request: Json | undefined): McpQuestion {
  const { method, params } = objectIn(request);
  if (method !== "elicitation/create")
    throw cannotAsk(server, `it sent ${JSON.stringify(method)?.slice(0, 100)}, which is not supported`);
  if (!isObject(params)) throw cannotAsk(server, "its question has no parameters");
  const { mode = "form", message = "", requestedSchema, url } = params;
  if (JSON.stringify(params).length > MOST_CHARS) throw cannotAsk(server, "its question is too long");
  if (typeof message !== "string") throw cannotAsk(server, "the message of its question is not a text");
  const payload = { connector: `mcp::${server}`, tool, message: withoutHidden(message) };
  if (mode === "url") {
    const page = pageAt(url);
    if (page === undefined)
      throw cannotAsk(
        server,
        "the `url` of its question must be an https address, or http on localhost, without a user name, password, space, backslash or hidden character",
      );
    const shown = { url: page.href, host: page.host };
    return { kind: "elicitation", payload: { ...payload, mode, ...shown }, answer: answerSchema(undefined) };
  }
  const isForm = mode === "form" && isObject(requestedSchema) && requestedSchema.type === "object";
  if (!isForm) throw cannotAsk(server, "its question has no form");
  try {
    return {
      kind: "elicitation",
      payload: { ...payload, mode, requestedSchema: shownForm(requestedSchema) },
      answer: answerSchema(requestedSchema),
    };
  } catch (cause) {
    throw cannotAsk(server, `its form is invalid: ${(cause as Error).message}`);
  }
}

/**
 * Returns the page that a user may be asked to open; `undefined` for an address that could be read as another
 * one. Without TLS, only a page of the user's own machine.
 */
function pageAt(url: Json | undefined): URL | undefined {
  if (typeof url !== "string" || /[\s\\]/.test(url) || withoutHidden(url) !== url) return undefined;
  const page = URL.parse(url);
  if (page === null || page.username !== "" || page.password !== "") return undefined;
  const isOwn = ["localhost", "127.0.0.1", "[::1]"].includes(page.hostname);
  return page.protocol === "https:" || (page.protocol === "http:" && isOwn) ? page : undefined;
}

function answerSchema(form: JsonObject | undefined): Schema {
  const accept: JsonObject = {
    type: "object",
    properties: { action: { const: "accept" }, ...(form !== undefined && { content: formAnswer(form) }) },
    required: form === undefined ? ["action"] : ["action", "content"],
  };
  const refuse: JsonObject = {
    type: "object",
    properties: { action: { enum: ["decline", "cancel"] } },
    required: ["action"],
  };
  return untrustedSchema({ anyOf: [accept, refuse] });
}

function cannotAsk(server: string, why: string): McpFailure {
  const message = `"${server}" asks for input that cannot be given: ${why}.`;
  return new McpFailure("mcp_refused", "failed", message);
}
