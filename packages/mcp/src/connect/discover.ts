import { isSameIssuer } from "./issuer.ts";
import type { McpServerOptions } from "./options.ts";
import { type OAuthDiscoveryState, sdk } from "./sdk.ts";
import type { Fetch } from "./sign-in-fetch.ts";

// Not by `auth()` of the SDK: it asks the first authorization server that the MCP server names, and has no
// place where another one could be refused before it is asked.
/**
 * Finds the authorization server of an MCP server: the one that the app expects, if it names one.
 *
 * @param metadataUrl where the MCP server says that its metadata are; `undefined` for the usual place
 * @throws Error if the MCP server does not name the expected one, or its metadata cannot be read
 */
export async function discover<Deps>(
  { url, oauth }: McpServerOptions<Deps>,
  metadataUrl: string | undefined,
  fetchFn: Fetch,
): Promise<OAuthDiscoveryState> {
  const { discoverAuthorizationServerMetadata, discoverOAuthProtectedResourceMetadata } = await sdk();
  const place = metadataUrl === undefined ? {} : { resourceMetadataUrl: metadataUrl };
  const resourceMetadata = await discoverOAuthProtectedResourceMetadata(String(url), place, fetchFn).catch(
    (error: unknown) => {
      // No answer. All else says that there are no metadata: older servers are authorization servers, too.
      if (error instanceof TypeError) throw error;
      return undefined;
    },
  );
  const named = resourceMetadata?.authorization_servers ?? [];
  if (named.length === 0) named.push(String(new URL("/", String(url))));
  const { issuer } = oauth ?? {};
  const authorizationServerUrl = named.find((one) => issuer === undefined || isSameIssuer(issuer, one));
  if (authorizationServerUrl === undefined)
    throw new Error(
      `The MCP server names the authorization server ${named.map((one) => `"${one}"`).join(", ")}, and \`issuer\` of \`oauth\` is "${issuer}". If it has moved, register the app at the new one, and change \`issuer\`.`,
    );
  const metadata = await discoverAuthorizationServerMetadata(authorizationServerUrl, { fetchFn });
  return {
    authorizationServerUrl,
    ...place,
    ...(resourceMetadata !== undefined && { resourceMetadata }),
    ...(metadata !== undefined && { authorizationServerMetadata: metadata }),
  };
}
