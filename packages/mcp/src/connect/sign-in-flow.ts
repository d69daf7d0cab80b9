import type { McpServerOptions } from "./options.ts";
import { type OAuthClientProvider, type StoredOAuthTokens, sdk } from "./sdk.ts";
import type { McpOAuthOptions } from "./sign-in-options.ts";
import type { PendingSignIn, SignInRecord } from "./sign-in-record.ts";
import { unauthorized } from "./token.ts";
import { clientOf, type Fetch } from "./user-token.ts";

/** The number of addresses from before that still work. */
const MOST_EARLIER = 20;

/** Begins a sign-in: finds the authorization server, registers the app, and notes where the user must go. */
export async function start<Deps>(
  options: McpServerOptions<Deps>,
  record: SignInRecord,
  fetchFn: Fetch,
): Promise<void> {
  const { url, now = Date.now } = options;
  const oauth = oauthOf(options);
  const { auth } = await sdk();
  const state = crypto.randomUUID();
  const pending: PendingSignIn = { state, verifier: "", url: "", at: now(), calls: [] };
  // What was found out about the server may be old.
  delete record.discovery;
  const { metadataUrl } = record;
  await auth(providerOf(oauth, record, pending), {
    serverUrl: String(url),
    fetchFn,
    forceReauthorization: true,
    ...(oauth.scope !== undefined && { scope: oauth.scope }),
    ...(metadataUrl !== undefined && { resourceMetadataUrl: new URL(metadataUrl) }),
  });
  // Calls that were waiting for the one before wait for this one. Their questions show its address.
  const { pending: before } = record;
  const earlier = before && [{ state: before.state, verifier: before.verifier }, ...(before.earlier ?? [])];
  record.pending = {
    ...pending,
    calls: before?.calls ?? [],
    ...(earlier !== undefined && { earlier: earlier.slice(0, MOST_EARLIER) }),
  };
}

/** Checks that an answer comes from the authorization server to which the user was sent (RFC 9207). */
export async function checkIssuer({ discovery }: SignInRecord, iss: string | undefined): Promise<void> {
  const { validateAuthorizationResponseIssuer } = await sdk();
  const metadata = discovery?.authorizationServerMetadata;
  const expectedIssuer = metadata?.issuer;
  const issParameterSupported = metadata?.authorization_response_iss_parameter_supported === true;
  validateAuthorizationResponseIssuer({ iss, expectedIssuer, issParameterSupported });
}

// Not by `auth()` of the SDK, which writes to the console if the server refuses the code.
/** Returns the tokens for a code that came back from the browser. Throws what the SDK throws. */
export async function exchange<Deps>(
  options: McpServerOptions<Deps>,
  record: SignInRecord,
  { code, iss, verifier }: { code: string; iss: string | undefined; verifier: string },
  fetchFn: Fetch,
): Promise<StoredOAuthTokens> {
  const { exchangeAuthorization } = await sdk();
  const { discovery } = record;
  const client = clientOf(options.oauth, record);
  if (discovery === undefined || client === undefined) throw unauthorized(options.name);
  const { authorizationServerUrl, authorizationServerMetadata: metadata, resourceMetadata } = discovery;
  const tokens = await exchangeAuthorization(authorizationServerUrl, {
    ...(metadata !== undefined && { metadata }),
    clientInformation: client,
    authorizationCode: code,
    ...(iss !== undefined && { iss }),
    codeVerifier: verifier,
    redirectUri: String(oauthOf(options).redirectUrl),
    ...(resourceMetadata !== undefined && { resource: resourceMetadata.resource }),
    fetchFn,
  });
  return { ...tokens, issuer: metadata?.issuer ?? String(authorizationServerUrl) };
}

function oauthOf<Deps>({ name, oauth }: McpServerOptions<Deps>): McpOAuthOptions<Deps> {
  if (oauth === undefined) throw new Error(`"${name}" has no \`oauth\`.`);
  return oauth;
}

/** Returns an OAuth provider for the SDK that reads from a record and saves to it. */
function providerOf<Deps>(
  oauth: McpOAuthOptions<Deps>,
  record: SignInRecord,
  pending: PendingSignIn,
): OAuthClientProvider {
  const { redirectUrl, clientName = "Pawl", scope, clientId, clientMetadataUrl } = oauth;
  return {
    redirectUrl: String(redirectUrl),
    clientMetadata: {
      client_name: clientName,
      redirect_uris: [String(redirectUrl)],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      ...(scope !== undefined && { scope }),
    },
    ...(clientMetadataUrl !== undefined && { clientMetadataUrl }),
    state: () => pending.state,
    clientInformation: () => clientOf(oauth, record),
    saveClientInformation: (client) => {
      if (clientId === undefined) record.client = client;
    },
    tokens: () => record.tokens,
    saveTokens: (tokens) => {
      record.tokens = tokens;
    },
    redirectToAuthorization: (url) => {
      pending.url = url.href;
    },
    saveCodeVerifier: (verifier) => {
      pending.verifier = verifier;
    },
    codeVerifier: () => pending.verifier,
    saveDiscoveryState: (discovery) => {
      record.discovery = discovery;
    },
    discoveryState: () => record.discovery,
    invalidateCredentials: (what) => {
      if (what === "all" || what === "client") delete record.client;
      if (what === "all" || what === "tokens") delete record.tokens;
      if (what === "all" || what === "discovery") delete record.discovery;
    },
  };
}
