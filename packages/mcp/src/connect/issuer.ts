import type { OAuthDiscoveryState, StoredOAuthClientInformation } from "./sdk.ts";
import type { McpOAuthOptions } from "./sign-in-options.ts";
import type { SignInRecord } from "./sign-in-record.ts";

// A secret carries the name of the authorization server that it is for (SEP-2352): how the app is registered
// there, a sign-in that has begun, and tokens. It is compared each time before any of them is sent.

/** Returns the name of an authorization server. */
export function issuerOf(found: OAuthDiscoveryState): string {
  return found.authorizationServerMetadata?.issuer ?? String(found.authorizationServerUrl);
}

/** Whether two names are those of one server. The SDK, too, ignores a slash at the end. */
export function isSameIssuer(one: string | undefined, other: string): boolean {
  return one !== undefined && one.replace(/\/$/, "") === other.replace(/\/$/, "");
}

/**
 * Returns how the app is known to an authorization server; `undefined` if it is not, or if it expects another
 * one by now.
 */
export function clientAt<Deps>(
  oauth: McpOAuthOptions<Deps> | undefined,
  { client }: SignInRecord,
  issuer: string,
): StoredOAuthClientInformation | undefined {
  if (oauth?.issuer !== undefined && !isSameIssuer(oauth.issuer, issuer)) return undefined;
  const known = ownClient(oauth) ?? client;
  return isSameIssuer(known?.issuer, issuer) ? known : undefined;
}

/** Returns how the app was registered by hand. */
export function ownClient<Deps>(
  oauth: McpOAuthOptions<Deps> | undefined,
): StoredOAuthClientInformation | undefined {
  if (oauth?.clientId === undefined || oauth.issuer === undefined) return undefined;
  const { clientId: client_id, clientSecret: client_secret, issuer } = oauth;
  return { client_id, issuer, ...(client_secret !== undefined && { client_secret }) };
}
