import { HTTPException } from "hono/http-exception";

/** The status of each code. */
const STATUS = {
  invalid_request: 400,
  unauthorized: 401,
  quota_exceeded: 402,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
} as const;

/** Returns a refusal: a response with its status and `{ error: { code, message }, … }`. */
export function refused(code: keyof typeof STATUS, message: string, more: object = {}): HTTPException {
  const status = STATUS[code];
  const res = Response.json({ error: { code, message }, ...more }, { status });
  return new HTTPException(status, { message, res });
}
