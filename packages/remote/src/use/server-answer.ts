import { isPassing, retryAfterMs } from "@pawl/core/model";
import { listedProblems } from "@pawl/core/tools";
import type { Answered } from "./endpoint.ts";
import { RemoteFailure } from "./remote-failure.ts";

/** The longest error text of a server that the model reads, in characters. A longer one is cut. */
const LONGEST_TEXT = 2_000;

/** Returns the failure for a response that is not a success. */
export function refusalOf({ status, headers, body }: Answered): RemoteFailure {
  const { code = `http_${status}`, message } = errorIn(body);
  const said = message === undefined ? "." : `: ${message}`;
  if (status === 401) {
    const signIn = "the tool's server did not accept the user's credentials. The user has to sign in again.";
    return new RemoteFailure(signIn, { code, ran: "no" });
  }
  if (status === 403) return new RemoteFailure(`this user may not do that${said}`, { code, ran: "no" });
  if (code === "unknown_tool") {
    return new RemoteFailure("the tool's server does not have this tool any more.", { code, ran: "no" });
  }
  if (code === "timed_out" && status === 504)
    return new RemoteFailure("it took too long.", { code, ran: "maybe" });
  if (status === 499)
    return new RemoteFailure("the request was cancelled on its way.", { code, ran: "maybe" });
  if (status === 429 || status === 408 || status >= 500) {
    const what = status === 429 ? "the tool's server gets too many requests" : "the tool's server failed";
    return new RemoteFailure(`${what} (${status}).`, {
      code,
      ran: status === 429 ? "no" : "maybe",
      isPassing: isPassing(status, headers),
      retryAfterMs: retryAfterMs(headers),
    });
  }
  return new RemoteFailure(`the tool's server refused the request (${status})${said}`, { code, ran: "no" });
}

/** What a server says about an error. */
export interface SaidError {
  code?: string;
  message?: string;
}

/**
 * Returns the error in a body: `{ error: { code, message } }`, `{ error: "…" }`, `{ message: "…" }`, or
 * FastAPI's `{ detail: "…" }` and `{ detail: [{ loc, msg }] }`.
 */
export function errorIn(body: unknown): SaidError {
  const { error, detail, message } = Object(body) as Record<string, unknown>;
  const inner = Object(error) as Record<string, unknown>;
  const text = [inner.message, error, detail, problemsIn(detail), message].find(
    (one) => typeof one === "string" && one.trim() !== "",
  ) as string | undefined;
  const { code } = inner;
  return {
    ...(typeof code === "string" && /^[\w.-]{1,64}$/.test(code) && { code }),
    ...(text !== undefined && { message: text.slice(0, LONGEST_TEXT) }),
  };
}

/** Returns a place of FastAPI, e.g. `["body", 0]`, as text. Other parts have no text of their own. */
function placeOf(loc: unknown): string {
  const parts = [loc].flat().filter((part) => typeof part === "string" || typeof part === "number");
  return parts.join(".");
}

function problemsIn(detail: unknown): string | undefined {
  if (!Array.isArray(detail)) return undefined;
  const problems = detail
    .map((one) => Object(one) as { loc?: unknown; msg?: unknown })
    .flatMap(({ loc, msg }) => (typeof msg === "string" ? [`${placeOf(loc)}: ${msg}`] : []));
  return listedProblems(problems);
}
