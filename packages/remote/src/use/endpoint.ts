import { secretsIn, withoutKeys } from "@pawl/core/model";
import { excessOf, hideTextsOf, type JsonBounds, readCapped } from "@pawl/core/tools";
import { connectionFailure, RemoteFailure } from "./remote-failure.ts";
import type { RemoteCaller, RemoteToolsOptions } from "./remote-options.ts";

/**
 * What a response may have at most. A run stores no result that has more levels, and what it costs to read
 * one grows with its values.
 */
const BOUNDS: JsonBounds = { levels: 1_000, values: 100_000 };

/** The fields that report on a call. They are kept if the result is refused: the call has run and costs. */
const ABOUT_CALL: readonly string[] = ["report", "error", "message", "detail"];

/** A response that was read. */
export interface Answered {
  status: number;
  headers: Headers;
  /** What the body has too much of, e.g. `more than 100000 values`. */
  excess?: string;
  /**
   * The body's JSON, without the request's credentials; `undefined` if it is not valid JSON or has too many
   * bytes. Of a body with too many values or levels, only the report and the error.
   */
  body: unknown;
}

/** The requests to one server on behalf of one user. */
export interface Endpoint {
  /**
   * Sends a request and reads the response. Redirects are not followed: the token is for this server only.
   *
   * @throws RemoteFailure
   */
  send(path: string, init: RequestInit, maxBytes: number): Promise<Answered>;
  /** Removes the request's credentials from an error's text. */
  hide(text: string): string;
}

/** Returns the server's address without what may be secret in it, for developers. */
export function shownUrl(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname.replace(/\/$/, "");
}

/**
 * Makes the requests of one user.
 *
 * @throws RemoteFailure `credentials_missing`, or `invalid_credentials` if a header cannot have their text
 */
export async function endpointFor<Deps>(
  { url, token, headers, fetch: send = globalThis.fetch }: RemoteToolsOptions<Deps>,
  of: RemoteCaller<Deps>,
): Promise<Endpoint> {
  const own = headersOf((typeof headers === "function" ? await headers(of) : headers) ?? {});
  if (token !== false) own.set("authorization", `Bearer ${await tokenFor(token, of)}`);
  const base = new URL(url);
  const secrets = [...secretsIn(own), ...base.searchParams.values()];
  // A server may repeat the token in a result, which would then be in the log.
  const hideIn = hideTextsOf(secrets);
  return {
    hide: (text) => withoutKeys(text, secrets),
    send: async (path, init, maxBytes) => {
      const target = new URL(base);
      target.pathname = base.pathname.replace(/\/$/, "") + path;
      const sent = new Headers(own);
      new Headers(init.headers).forEach((value, name) => {
        sent.set(name, value);
      });
      const { status, headers, text } = await exchange(send, target, { ...init, headers: sent }, maxBytes);
      if (text === undefined)
        return { status, headers, body: undefined, excess: `more than ${maxBytes} bytes` };
      return { status, headers, ...parsed(text, hideIn) };
    },
  };
}

async function tokenFor<Deps>(
  token: Exclude<RemoteToolsOptions<Deps>["token"], false>,
  of: RemoteCaller<Deps>,
): Promise<string> {
  const given = typeof token === "function" ? await token(of) : (token ?? tokenIn(of.credentials));
  if (given === undefined || given === "") {
    const message =
      "there is no token for the tools' server. Pass `credentials: { token }` to run(), return them from `authorize`, or set `token` of remoteTools().";
    throw new RemoteFailure(message, { code: "credentials_missing", ran: "no" });
  }
  if (!/^[\x21-\x7e]+$/.test(given)) throw invalidCredentials("the token");
  return given;
}

function tokenIn(credentials: unknown): string | undefined {
  const token: unknown = typeof credentials === "string" ? credentials : Object(credentials).token;
  return typeof token === "string" ? token : undefined;
}

// The error of `Headers` would repeat the value.
function headersOf(given: Readonly<Record<string, string>>): Headers {
  try {
    return new Headers(given);
  } catch {
    throw invalidCredentials("one of `headers`");
  }
}

function invalidCredentials(what: string): RemoteFailure {
  const message = `${what} has characters that a header cannot have.`;
  return new RemoteFailure(message, { code: "invalid_credentials", ran: "no" });
}

async function exchange(
  send: typeof fetch,
  url: URL,
  init: RequestInit,
  maxBytes: number,
): Promise<{ status: number; headers: Headers; text: string | undefined }> {
  try {
    const response = await send(url, { ...init, redirect: "manual" });
    const { status, headers } = response;
    const isRedirect =
      response.type === "opaqueredirect" || (status >= 300 && status < 400 && status !== 304);
    if (isRedirect) {
      response.body?.cancel().catch(() => undefined);
      const message = "the tool's server redirects to another address, which is not followed.";
      throw new RemoteFailure(message, { code: "redirected", ran: "no" });
    }
    return { status, headers, text: await readCapped(response, maxBytes) };
  } catch (cause) {
    throw cause instanceof RemoteFailure ? cause : connectionFailure(cause);
  }
}

function parsed(text: string, hideIn: (body: unknown) => unknown): Pick<Answered, "body" | "excess"> {
  try {
    const body: unknown = JSON.parse(text);
    const excess = excessOf(body, BOUNDS);
    if (excess === undefined) return { body: hideIn(body) };
    const kept = hideIn(smallFields(body));
    return excess === "values" ? { body: kept, excess: `more than ${BOUNDS.values} values` } : { body: kept };
  } catch {
    return { body: undefined };
  }
}

/** Returns the fields of a body about the call, without its result and without what is too large itself. */
function smallFields(body: unknown): unknown {
  const fields = ABOUT_CALL.filter((name) => Object.hasOwn(Object(body), name))
    .map((name) => [name, Object(body)[name]])
    .filter(([, value]) => excessOf(value, BOUNDS) === undefined);
  return Object.fromEntries(fields);
}
