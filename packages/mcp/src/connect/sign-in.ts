import { McpFailure } from "../base/failure.ts";
import type { McpUser } from "../base/user.ts";
import { limitedResponse } from "./http.ts";
import type { McpServerOptions } from "./options.ts";
import { exchange, start } from "./sign-in-flow.ts";
import type { WaitingCall } from "./sign-in-options.ts";
import { signInRecords } from "./sign-in-record.ts";
import { type Token, unauthorized } from "./token.ts";
import { userToken } from "./user-token.ts";

/** How long the address of a sign-in is used again, in milliseconds: calls that wait together share it. */
const SHARED_MS = 600_000;

/** The number of calls of one sign-in that are remembered. */
const MOST_CALLS = 100;

/** The sign-ins of a server's users. */
export interface SignIns<Deps> {
  /** Returns the token of a user, which is refreshed when the server refuses it. */
  tokenOf(user: () => McpUser<Deps>): Token;
  /** Returns the address at which the user signs in, and notes the call that waits for it. */
  begin(user: McpUser<Deps>, call?: WaitingCall): Promise<string>;
  /** Ends a sign-in with what came back from the browser. @throws McpFailure `mcp_unauthorized` */
  finish(params: URLSearchParams, user: McpUser<Deps>): Promise<WaitingCall[]>;
  isSignedIn(user: McpUser<Deps>): Promise<boolean>;
  signOut(user: McpUser<Deps>): Promise<void>;
}

/** Makes the sign-ins of a server with `oauth`. */
export function makeSignIns<Deps>(options: McpServerOptions<Deps>): SignIns<Deps> {
  const { name, now = Date.now } = options;
  const records = signInRecords(options);
  const fetchFn = limitedFetch(options);
  const fail = (error: unknown): never => {
    if (error instanceof McpFailure) throw error;
    // The server's own words may repeat what it was sent.
    const { code } = Object(error) as { code?: unknown };
    const why = typeof code === "string" && /^[a-z]+(_[a-z]+)*$/.test(code) ? `: ${code}` : "";
    throw refused(`Signing in to "${name}" failed${why}.`);
  };

  return {
    tokenOf: (user) => userToken(options, user, { records, fetchFn }),
    begin: (user, call) =>
      records.change(user, async (record) => {
        const { pending: before } = record;
        if (before === undefined || now() - before.at > SHARED_MS)
          await start(options, record, fetchFn).catch(fail);
        const { pending } = record;
        if (pending === undefined) throw unauthorized(name);
        if (call !== undefined) pending.calls = [...pending.calls, call].slice(-MOST_CALLS);
        return pending.url;
      }),
    finish: (params, user) =>
      records.change(user, async (record) => {
        const { pending } = record;
        const code = params.get("code");
        const addresses = pending === undefined ? [] : [pending, ...(pending.earlier ?? [])];
        const address = addresses.find(({ state }) => state === params.get("state"));
        if (pending === undefined || address === undefined)
          throw refused(`This sign-in to "${name}" is not known, or it is over.`);
        if (code === null) throw refused(`The user has not signed in to "${name}".`);
        const answer = { code, iss: params.get("iss") ?? undefined, verifier: address.verifier };
        record.tokens = await exchange(options, record, answer, fetchFn).catch(fail);
        delete record.pending;
        return pending.calls;
      }),
    isSignedIn: async (user) => (await records.read(user)).tokens !== undefined,
    signOut: (user) =>
      records.change(user, async (record) => {
        delete record.tokens;
        delete record.pending;
      }),
  };
}

function refused(message: string): McpFailure {
  return new McpFailure("mcp_unauthorized", "not_sent", message);
}

const CONNECT_TIMEOUT_MS = 30_000;

/** The longest answer of an authorization server. The SDK would list every mistake in it. */
const MOST_ANSWER_BYTES = 100_000;

function limitedFetch<Deps>({
  fetch: own = fetch,
  connectTimeoutMs = CONNECT_TIMEOUT_MS,
}: McpServerOptions<Deps>) {
  return async (input: string | URL, init: RequestInit = {}): Promise<Response> =>
    limitedResponse(
      await own(input, { ...init, signal: AbortSignal.timeout(connectTimeoutMs) }),
      MOST_ANSWER_BYTES,
    );
}
