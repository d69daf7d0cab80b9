import { discover } from "./discover.ts";
import { clientAt, issuerOf, ownClient } from "./issuer.ts";
import type { McpServerOptions } from "./options.ts";
import { checkScheme } from "./public-address.ts";
import { allScopes } from "./scopes.ts";
import {
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
  sdk,
} from "./sdk.ts";
import { type Fetch, namedBy } from "./sign-in-fetch.ts";
import type { McpOAuthOptions } from "./sign-in-options.ts";
import type { PendingSignIn, SignInAddress, SignInRecord } from "./sign-in-record.ts";
import { unauthorized } from "./token.ts";

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
  const discovery = await discover(options, record.metadataUrl, fetchFn);
  const issuer = issuerOf(discovery);
  const state = crypto.randomUUID();
  const pending: PendingSignIn = { state, verifier: "", issuer, scope: null, url: "", at: now(), calls: [] };
  const scope = allScopes(oauth.scope, record.wanted);
  const begun: Begun = { pending, discovery, client: record.client };
  await auth(providerOf(oauth, begun), {
    serverUrl: String(url),
    fetchFn,
    forceReauthorization: true,
    ...(scope !== undefined && { scope }),
  });
  const page = new URL(pending.url);
  // The app shows it as a link.
  checkScheme(page, namedBy(options));
  // Without any, those that the server's metadata name.
  pending.scope = page.searchParams.get("scope");
  record.discovery = discovery;
  if (begun.client !== undefined) record.client = begun.client;
  // Calls that were waiting for the one before wait for this one. Their questions show its address.
  const { pending: before } = record;
  const earlier = before && [addressOf(before), ...(before.earlier ?? [])];
  record.pending = {
    ...pending,
    calls: before?.calls ?? [],
    ...(earlier !== undefined && { earlier: earlier.slice(0, MOST_EARLIER) }),
  };
}

function addressOf({ state, verifier, issuer, scope }: SignInAddress): SignInAddress {
  return { state, verifier, issuer, scope };
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
  const client = discovery && clientAt(options.oauth, record, issuerOf(discovery));
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
  return { ...tokens, issuer: issuerOf(discovery) };
}

function oauthOf<Deps>({ name, oauth }: McpServerOptions<Deps>): McpOAuthOptions<Deps> {
  if (oauth === undefined) throw new Error(`"${name}" has no \`oauth\`.`);
  return oauth;
}

/** A sign-in that is about to begin. */
interface Begun {
  pending: PendingSignIn;
  discovery: OAuthDiscoveryState;
  /** How the app is known. The SDK compares the issuer, and registers it anew at another server. */
  client: StoredOAuthClientInformation | undefined;
}

/**
 * Returns an OAuth provider with which the SDK begins a sign-in. One with a registration by hand saves none,
 * so that the SDK does not register the app at another server.
 */
function providerOf<Deps>(oauth: McpOAuthOptions<Deps>, begun: Begun): OAuthClientProvider {
  const { pending, discovery } = begun;
  const { redirectUrl, clientName = "Pawl", scope, clientMetadataUrl } = oauth;
  const own = ownClient(oauth);
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
    clientInformation: () => own ?? begun.client,
    ...(own === undefined && {
      saveClientInformation: (client: StoredOAuthClientInformation) => {
        begun.client = client;
      },
    }),
    // A new sign-in uses none from before, and saves none.
    tokens: () => undefined,
    saveTokens: () => undefined,
    redirectToAuthorization: (url) => {
      pending.url = url.href;
    },
    saveCodeVerifier: (verifier) => {
      pending.verifier = verifier;
    },
    codeVerifier: () => pending.verifier,
    discoveryState: () => discovery,
  };
}
