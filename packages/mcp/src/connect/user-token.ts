import { McpFailure, type MissingScopes } from "../base/failure.ts";
import type { McpUser } from "../base/user.ts";
import { clientAt, isSameIssuer, issuerOf } from "./issuer.ts";
import type { McpServerOptions } from "./options.ts";
import { allScopes, hasScopes, withScope } from "./scopes.ts";
import { sdk } from "./sdk.ts";
import { type OnSignInError, signInFailure } from "./sign-in-failure.ts";
import type { Fetch } from "./sign-in-fetch.ts";
import type { McpOAuthOptions } from "./sign-in-options.ts";
import type { SignInRecord, SignInRecords } from "./sign-in-record.ts";
import { type Token, unauthorized } from "./token.ts";

/** Errors of an authorization server after which the user has to sign in again. */
const OVER = ["invalid_grant", "invalid_client", "unauthorized_client"];

/** How long a token is used before it is read again, in milliseconds: others may sign the user out. */
const FRESH_MS = 60_000;

/**
 * Returns the token of a user who signs in by OAuth. A token that the server refuses is refreshed once for
 * all requests of the user: inside the lock, the record is read again, and if another process has
 * refreshed the token by then, its token is used.
 */
export function userToken<Deps>(
  { name, oauth, now = Date.now }: McpServerOptions<Deps>,
  user: () => McpUser<Deps>,
  { records, fetchFn, onError }: { records: SignInRecords<Deps>; fetchFn: Fetch; onError: OnSignInError },
): Token {
  let value: string | undefined;
  let readAt = 0;
  let forgotten = 0;
  let refreshing: Promise<void> | undefined;
  const seen = new Set<string>();
  const note = ({ tokens, client }: SignInRecord): void => {
    value = tokens?.access_token;
    readAt = now();
    for (const secret of [value, tokens?.refresh_token, client?.client_secret, oauth?.clientSecret])
      if (secret !== undefined) seen.add(secret);
  };

  async function renew(refusal: Response): Promise<void> {
    const { extractWWWAuthenticateParams } = await sdk();
    const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(refusal);
    const refusedValue = value;
    await records.change(user(), async (record) => {
      noteWants(record, { scope, metadataUrl: resourceMetadataUrl?.href });
      const { tokens } = record;
      // Another process may have got new ones.
      const isNew = tokens !== undefined && tokens.access_token !== refusedValue;
      try {
        if (!isNew) await refreshed(name, record, { oauth, fetchFn, again, onError });
      } finally {
        note(record);
      }
    });
  }
  const again = () => records.read(user());

  async function read(): Promise<void> {
    for (let before = -1; before !== forgotten; ) {
      before = forgotten;
      const record = await again();
      // The user may have signed out meanwhile.
      if (before === forgotten) note(record);
    }
  }

  return {
    value: async () => {
      if (value === undefined) await read();
      // A store that is down for a while ends no sign-in.
      else if (now() - readAt > FRESH_MS) await read().catch(() => undefined);
      return value;
    },
    forget: () => {
      forgotten += 1;
      value = undefined;
    },
    secrets: () => [...seen],
    widen: (wants) =>
      records.change(user(), async (record) => {
        // The user may have granted more since, here or in another process.
        note(record);
        const { tokens } = record;
        if (tokens !== undefined && hasScopes(tokens.scope, wants.scope)) return false;
        noteWants(record, { ...wants, scope: allScopes(tokens?.scope, wants.scope) });
        return true;
      }),
    refresh: async (refusal) => {
      refreshing ??= renew(refusal).finally(() => {
        refreshing = undefined;
      });
      await refreshing;
    },
  };
}

/** Notes what a server has said when it refused a request, for the next sign-in. */
function noteWants(record: SignInRecord, { scope, metadataUrl }: MissingScopes): void {
  if (metadataUrl !== undefined) record.metadataUrl = metadataUrl;
  const wanted = allScopes(record.wanted, scope);
  if (wanted !== undefined) record.wanted = wanted;
}

interface Refreshing<Deps> {
  oauth: McpOAuthOptions<Deps> | undefined;
  fetchFn: Fetch;
  /** Reads the record again. */
  again(): Promise<SignInRecord>;
  onError: OnSignInError;
}

/** Refreshes the tokens of a record. @throws McpFailure if the user must sign in again, or nobody answers */
async function refreshed<Deps>(
  name: string,
  record: SignInRecord,
  { oauth, fetchFn, again, onError }: Refreshing<Deps>,
): Promise<void> {
  const { tokens, discovery } = record;
  const clientInformation = discovery && clientAt(oauth, record, issuerOf(discovery));
  if (
    tokens?.refresh_token === undefined ||
    discovery === undefined ||
    clientInformation === undefined ||
    // The user was sent to another authorization server since. It must not get these.
    !isSameIssuer(tokens.issuer, issuerOf(discovery))
  ) {
    delete record.tokens;
    throw unauthorized(name);
  }
  const { refreshAuthorization } = await sdk();
  const { authorizationServerUrl, authorizationServerMetadata: metadata, resourceMetadata } = discovery;
  try {
    const fresh = await refreshAuthorization(authorizationServerUrl, {
      ...(metadata !== undefined && { metadata }),
      clientInformation,
      refreshToken: tokens.refresh_token,
      ...(resourceMetadata !== undefined && { resource: resourceMetadata.resource }),
      fetchFn,
    });
    // Without a scope it is the one from before (RFC 6749, 5.1).
    record.tokens = { ...withScope(fresh, tokens.scope), issuer: issuerOf(discovery) };
  } catch (error) {
    const code = String((Object(error) as { code?: unknown }).code);
    const secrets = [tokens.refresh_token, tokens.access_token, clientInformation.client_secret];
    const failed = (message: string) => signInFailure(message, error, { secrets, onError });
    if (!OVER.includes(code)) throw notNow(name, failed);
    // Without a lock across processes, another one may have used the refresh token first.
    const now = await again();
    if (now.tokens !== undefined && now.tokens.access_token !== tokens.access_token) {
      Object.assign(record, now);
      return;
    }
    delete record.tokens;
    // The server has ended the user's sign-in, which it may. All else is a mistake of the app's registration.
    if (code === "invalid_grant") throw unauthorized(name);
    delete record.client;
    throw failed(unauthorized(name).message);
  }
}

function notNow(name: string, failed: (message: string) => McpFailure): McpFailure {
  const { message, cause } = failed(
    `The tokens of the user for "${name}" cannot be refreshed now. Try again later.`,
  );
  const failure = new McpFailure("mcp_unreachable", "not_sent", message);
  failure.cause = cause;
  return failure;
}
