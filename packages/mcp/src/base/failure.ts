import { messageOf } from "@pawl/core";
import { withoutKeys } from "@pawl/core/model";
import { withoutHidden } from "@pawl/core/tools";

/**
 * What became of a request that failed: it was not sent (`not_sent`), it may or may not have had an effect
 * (`unknown`), the tool ran but its result cannot be used (`done`), or the server refused or failed it
 * (`failed`).
 */
export type Outcome = "not_sent" | "unknown" | "done" | "failed";

/** The code of a failed call. It is in the report of the call's result. */
export type McpFailureCode =
  | "mcp_unreachable"
  | "mcp_circuit_open"
  | "mcp_busy"
  | "mcp_unauthorized"
  | "mcp_outcome_unknown"
  | "mcp_unusable_result"
  | "mcp_refused"
  | "mcp_task_failed"
  | "mcp_tool_error";

/** What a server wants for a request that it has refused (403, `insufficient_scope`). */
export interface MissingScopes {
  /** The scopes, separated by spaces. */
  scope: string | undefined;
  /** Where the server says that its metadata are. */
  metadataUrl: string | undefined;
}

/**
 * A request to a server that failed. Its message has no secrets and no invisible characters, and the model
 * reads it.
 *
 * @example
 * ```ts
 * import { McpFailure, mcpServer } from "@pawl/mcp";
 *
 * const none = mcpServer({ name: "none", command: "/no/such/program" });
 * try {
 *   await none.listTools({ userId: "ada" });
 * } catch (error) {
 *   if (error instanceof McpFailure) console.log(error.code, error.outcome); // mcp_unreachable not_sent
 * }
 * ```
 */
export class McpFailure extends Error {
  readonly code: McpFailureCode;
  readonly outcome: Outcome;
  /** Whether the connection is gone or the server has forgotten it: nothing was run, and another may work. */
  readonly isStale: boolean;

  /** Whether the server could not be reached by any user. */
  isOffline = false;

  /** Whether the server does not accept the state that it had given us. */
  isExpired = false;

  /** Why the outcome is unknown, or the result unusable, without the server's name. Else empty. */
  why = "";

  /** What the server wants besides the rights that the user has granted; `undefined` for other failures. */
  wants: MissingScopes | undefined;

  /** The code of the JSON-RPC error that the server returned; `undefined` if it returned none. */
  rpcCode: number | undefined;

  constructor(code: McpFailureCode, outcome: Outcome, message: string, isStale = false) {
    super(withoutHidden(message));
    this.name = "McpFailure";
    this.code = code;
    this.outcome = outcome;
    this.isStale = isStale;
  }
}

/** The `data.reason` of errors that our transports make in place of an answer that the SDK does not get. */
export const LOST = "pawl:lost";
export const TOO_LARGE = "pawl:too_large";
export const MISFIT = "pawl:misfit";

/** Codes of SDK errors after which nothing was sent. */
const NOT_SENT = ["NOT_CONNECTED", "NOT_INITIALIZED", "CAPABILITY_NOT_SUPPORTED", "ERA_NEGOTIATION_FAILED"];

/** Codes of SDK errors for an answer that arrived but cannot be used. */
const UNUSABLE = ["INVALID_RESULT", "UNSUPPORTED_RESULT_TYPE", "CLIENT_HTTP_UNEXPECTED_CONTENT"];

/** Codes of network errors that come before anything is sent. */
const NO_CONNECTION =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|ENOENT|EACCES)$/;

interface Facts {
  requiredScope?: unknown;
  resourceMetadataUrl?: unknown;
  code?: unknown;
  name?: unknown;
  status?: unknown;
  cause?: unknown;
  data?: { status?: unknown; reason?: unknown };
}

/** Turns what the SDK threw into a failure without secrets. `server` is its name. */
export function failureOf(server: string, thrown: unknown, secrets: readonly string[]): McpFailure {
  if (thrown instanceof McpFailure) return thrown;
  const { code, name, data } = (thrown ?? {}) as Facts;
  if ("requiredScope" in Object(thrown)) return insufficientScope(server, Object(thrown));
  const why = withoutKeys(messageOf(thrown), secrets).slice(0, 2_000);
  if (data?.reason === LOST || code === "CONNECTION_CLOSED" || code === "REQUEST_TIMEOUT")
    return unknown(
      server,
      code === "REQUEST_TIMEOUT" ? "it did not answer in time" : "the connection was lost",
    );
  if (data?.reason === TOO_LARGE || data?.reason === MISFIT) return unusable(server, why);
  if (typeof code === "number") {
    const failure = new McpFailure("mcp_refused", "failed", `"${server}": ${why}`);
    failure.isExpired = data?.reason === "invalid_request_state";
    failure.rpcCode = code;
    return failure;
  }
  if (name === "UnauthorizedError" || code === "CLIENT_HTTP_AUTHENTICATION" || data?.status === 401)
    return new McpFailure(
      "mcp_unauthorized",
      "not_sent",
      `"${server}" does not accept the user's credentials (401). The user has to sign in there again.`,
    );
  if (typeof code === "string" && UNUSABLE.includes(code)) return unusable(server, why);
  if (data?.status !== undefined) return ofStatus(server, Number(data.status), why);
  const isOffline = causes(thrown).some(isNoConnection);
  const isUnsent = isOffline || (typeof code === "string" && NOT_SENT.includes(code)) || isGone(why);
  if (!isUnsent) return unknown(server, why);
  const message = `"${server}" cannot be reached: ${why}`;
  const failure = new McpFailure("mcp_unreachable", "not_sent", message, isGone(why));
  failure.isOffline = isOffline;
  return failure;
}

function insufficientScope(server: string, { requiredScope, resourceMetadataUrl }: Facts): McpFailure {
  const scope = requiredScope === undefined ? undefined : String(requiredScope).slice(0, 2_000);
  const metadataUrl = resourceMetadataUrl === undefined ? undefined : String(resourceMetadataUrl);
  const failure = new McpFailure(
    "mcp_refused",
    "not_sent",
    `"${server}" refused the request (403): it wants ${rightsIn(scope)}.`,
  );
  failure.wants = { scope, metadataUrl };
  return failure;
}

/** Returns the failure of a request for which the user has to grant more. */
export function notGranted(server: string, wants: MissingScopes): McpFailure {
  const message = `"${server}" refused the request (403): it wants ${rightsIn(wants.scope)}, which the user has not granted there.`;
  const failure = new McpFailure("mcp_unauthorized", "not_sent", message);
  failure.wants = wants;
  return failure;
}

const rightsIn = (scope: string | undefined): string =>
  scope === undefined ? "more rights" : `the scope ${JSON.stringify(scope.slice(0, 200))}`;

const isGone = (why: string): boolean => why === "Not connected";

/** Returns the failure for an answer with this HTTP status. Servers that refuse a request have not run it. */
function ofStatus(server: string, status: number, why: string): McpFailure {
  const isRefused = (status >= 400 && status < 500 && status !== 408) || status === 503;
  if (!isRefused) return unknown(server, `it answered ${status}`);
  const message = `"${server}" refused the request (${status}): ${why}`;
  return new McpFailure("mcp_refused", "not_sent", message, status === 404 || status === 400);
}

function unknown(server: string, reason: string): McpFailure {
  const why = reason.replace(/\.$/, "");
  const message = `The outcome of this call is unknown: "${server}": ${why}. It may or may not have taken effect; check before doing it again.`;
  const failure = new McpFailure("mcp_outcome_unknown", "unknown", message);
  failure.why = why;
  return failure;
}

/** Returns the failure for a connection that could not be opened, in place of an unknown outcome. */
export function unreachable(
  { why }: McpFailure,
  server: string,
  { command }: { command?: string },
): McpFailure {
  const hint =
    command === undefined ? "" : " Run its `command` with its `args` in a terminal to see what it writes.";
  return new McpFailure("mcp_unreachable", "not_sent", `"${server}" cannot be reached: ${why}.${hint}`);
}

/** Returns the failure of a request that only reads: its message speaks of no tool that may have run. */
export function unread(failed: McpFailure, server: string): McpFailure {
  const { why, code, outcome } = failed;
  if (why === "") return failed;
  const isAnswered = outcome === "done";
  const message = isAnswered
    ? `The answer of "${server}" cannot be used: ${why}.`
    : `The request to "${server}" failed: ${why}.`;
  return Object.assign(new McpFailure(code, isAnswered ? "failed" : outcome, message), { why });
}

/** Returns the failure for a call that ran, but whose result cannot be used. It must not be repeated. */
export function unusable(server: string, reason: string): McpFailure {
  const why = reason.replace(/\.$/, "");
  const message = `The tool of "${server}" ran, but its result cannot be used: ${why}. Do not repeat the call only because of this.`;
  return Object.assign(new McpFailure("mcp_unusable_result", "done", message), { why });
}

const isNoConnection = ({ code }: Facts): boolean => typeof code === "string" && NO_CONNECTION.test(code);

function causes(thrown: unknown): Facts[] {
  const found: Facts[] = [];
  for (let error = thrown; found.length < 5 && typeof error === "object" && error !== null; ) {
    found.push(error);
    error = (error as Facts).cause ?? (error as { errors?: unknown[] }).errors?.[0];
  }
  return found;
}
