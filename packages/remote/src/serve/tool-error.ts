import type { WireReport } from "../wire/definition.ts";

/**
 * The code of an error, in the body's `error.code`. The response's status is in brackets.
 *
 * - `invalid_input` (400, 412, 415): the request is malformed, its `if-match` does not hold, its content type
 *   is not JSON, or its body is compressed
 * - `unauthorized` (401): `authorize` returned `null`
 * - `not_found` (404), `method_not_allowed` (405): no such route
 * - `unknown_tool` (404): this user has no such tool
 * - `too_large` (413): the body exceeds the limit
 * - `invalid_tool_input` (422): the input does not match the tool's schema; nothing ran
 * - `aborted` (499): the client disconnected
 * - `internal` (500): any other error
 * - `timed_out` (504): the tool took too long, and its outcome is unknown
 */
export type ToolErrorCode =
  | "invalid_input"
  | "unauthorized"
  | "not_found"
  | "method_not_allowed"
  | "unknown_tool"
  | "too_large"
  | "invalid_tool_input"
  | "aborted"
  | "internal"
  | "timed_out";

interface RefusalDetails {
  headers?: Readonly<Record<string, string>>;
  /** What the tool had reported before it was abandoned. */
  report?: WireReport | undefined;
}

/** An error that is sent to the client as it is. */
export class Refusal extends Error {
  readonly response: Response;

  constructor(
    status: number,
    code: ToolErrorCode,
    message: string,
    { headers = {}, report }: RefusalDetails = {},
  ) {
    super(message);
    const body = { error: { code, message }, ...(report !== undefined && { report }) };
    this.response = privateJson(body, { status, headers });
  }
}

/** Returns a JSON response that no cache keeps. */
export function privateJson(
  body: unknown,
  { status = 200, headers = {} }: { status?: number; headers?: Readonly<Record<string, string>> } = {},
): Response {
  return Response.json(body, { status, headers: { "cache-control": "no-store", ...headers } });
}
