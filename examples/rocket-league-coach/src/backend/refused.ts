import { HTTPException } from "hono/http-exception";

/** The status of each code. */
const STATUS = {
  invalid_request: 400,
  unauthorized: 401,
  quota_exceeded: 402,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  unsupported: 415,
} as const;

/** The headers that HTTP asks for. */
const HEADERS: { readonly [code in keyof typeof STATUS]?: Readonly<Record<string, string>> } = {
  unauthorized: { "www-authenticate": "Bearer" },
  unsupported: { "accept-encoding": "identity" },
};

/** Returns a refusal: a response with its status and `{ error: { code, message }, … }`. */
export function refused(code: keyof typeof STATUS, message: string, more: object = {}): HTTPException {
  const status = STATUS[code];
  const res = Response.json({ error: { code, message }, ...more }, { status, headers: HEADERS[code] ?? {} });
  return new HTTPException(status, { message, res });
}
