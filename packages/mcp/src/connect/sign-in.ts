import { McpFailure } from "../base/failure.ts";
import type { McpUser } from "../base/user.ts";
import { isSameIssuer, issuerOf } from "./issuer.ts";
import type { McpServerOptions } from "./options.ts";
import { hasScopes, withScope } from "./scopes.ts";
import { type OnSignInError, refused, signInFailure } from "./sign-in-failure.ts";
import { signInFetch } from "./sign-in-fetch.ts";
import { checkIssuer, exchange, start } from "./sign-in-flow.ts";
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

/** What is called about the sign-ins of a server. */
export interface SignInEvents {
  /** Gets the reasons of those that fail. */
  onError?: OnSignInError | undefined;
  /** Is called once a user has signed in or out: tokens from before must not be used any more. */
  onChange(userId: string): void;
}

/** Makes the sign-ins of a server with `oauth`. */
export function makeSignIns<Deps>(
  options: McpServerOptions<Deps>,
  { onError = () => undefined, onChange }: SignInEvents,
): SignIns<Deps> {
  const { name, oauth, now = Date.now } = options;
  const records = signInRecords(options);
  const fetchFn = signInFetch(options);
  const fail =
    (...secrets: (string | undefined)[]) =>
    (error: unknown): never => {
      if (error instanceof McpFailure) throw error;
      const all = [...secrets, oauth?.clientSecret];
      throw signInFailure(`Signing in to "${name}" failed.`, error, { secrets: all, onError });
    };

  return {
    tokenOf: (user) => userToken(options, user, { records, fetchFn, onError }),
    begin: (user, call) =>
      records.change(user, async (record) => {
        const { pending: before } = record;
        const isOld = before === undefined || now() - before.at > SHARED_MS;
        if (isOld || !hasScopes(before.scope ?? undefined, record.wanted))
          await start(options, record, fetchFn).catch(fail());
        const { pending } = record;
        if (pending === undefined) throw unauthorized(name);
        if (call !== undefined) pending.calls = [...pending.calls, call].slice(-MOST_CALLS);
        return pending.url;
      }),
    finish: async (params, user) => {
      const calls = await records.change(user, async (record) => {
        const { pending } = record;
        const addresses = pending === undefined ? [] : [pending, ...(pending.earlier ?? [])];
        const address = addresses.find(({ state }) => state === params.get("state"));
        if (pending === undefined || address === undefined)
          throw refused(`This sign-in to "${name}" is not known, or it is over.`);
        const { state, verifier, issuer } = address;
        if (record.discovery === undefined || !isSameIssuer(issuer, issuerOf(record.discovery)))
          throw refused(
            `Where users sign in to "${name}" has changed since this sign-in began. Sign in again.`,
          );
        const code = params.get("code");
        const iss = params.get("iss") ?? undefined;
        const failed = fail(code ?? undefined, state, verifier, record.client?.client_secret);
        // Before anything else of the answer is read: it may come from another authorization server.
        await checkIssuer(record, iss).catch(failed);
        if (code === null) throw notGiven(name, params, onError);
        const answer = { code, iss, verifier };
        const tokens = await exchange(options, record, answer, fetchFn).catch(failed);
        record.tokens = withScope(tokens, address.scope ?? undefined);
        delete record.pending;
        return pending.calls;
      });
      onChange(user.userId);
      return calls;
    },
    isSignedIn: async (user) => (await records.read(user)).tokens !== undefined,
    signOut: async (user) => {
      await records.change(user, async (record) => {
        delete record.tokens;
        delete record.pending;
        delete record.wanted;
      });
      onChange(user.userId);
    },
  };
}

/** Returns the failure of a user who came back without a code. */
function notGiven(name: string, params: URLSearchParams, onError: OnSignInError): McpFailure {
  const { error = "no code", error_description: why } = Object.fromEntries(params);
  const reason = new Error(why === undefined ? error : `${error}: ${why}`);
  return signInFailure(`The user has not signed in to "${name}".`, reason, { secrets: [], onError });
}
