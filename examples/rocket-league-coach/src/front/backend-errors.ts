/** The backend failed, or cannot be reached. The same request may succeed later. */
export class BackendDown extends Error {
  constructor(why: string) {
    super(`The backend failed: ${why}.`);
  }
}

/** The backend refused a request. */
export class BackendRefusal extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, hint = "") {
    super(`The backend refused the request with ${status} (${code}).${hint}`);
    this.status = status;
    this.code = code;
  }
}

/** What users read while the backend is down. */
export const UNREACHABLE = "The coach's data cannot be reached at the moment. Please try again.";

const MESSAGES = new Map<number, readonly [code: string, message: string]>([
  [400, ["invalid_input", "The coach cannot read this request."]],
  [401, ["unauthorized", "Please sign in again."]],
  [
    402,
    [
      "quota_exceeded",
      "You have no tokens left. A monthly budget is filled again at the start of the next month.",
    ],
  ],
  [403, ["forbidden", "You may not use the coach."]],
  [404, ["not_found", "You have no such session."]],
  [409, ["conflict", "This message was sent before. Please send a new one."]],
]);

/** Returns the response to a user whose request the backend refused or could not answer. */
export function responseTo(error: unknown): Response {
  if (!(error instanceof BackendDown) && !(error instanceof BackendRefusal)) throw error;
  const status = error instanceof BackendRefusal && MESSAGES.has(error.status) ? error.status : 503;
  const [code, message] = MESSAGES.get(status) ?? ["unavailable", UNREACHABLE];
  const headers = { "cache-control": "no-store" };
  return Response.json({ error: { code, message } }, { status, headers });
}

/**
 * Returns the code of an error's body. Only our own codes: the text of an unknown server may say anything.
 */
export function codeIn(body: unknown): string {
  const code: unknown = Object(Object(body).error).code;
  return typeof code === "string" && /^[a-z_]{1,40}$/.test(code) ? code : "unknown";
}
