import type * as Sdk from "@modelcontextprotocol/client";

export type {
  CallToolResult,
  Client,
  OAuthClientProvider,
  OAuthDiscoveryState,
  PriorDiscovery,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
  Transport,
} from "@modelcontextprotocol/client";

let loaded: Promise<typeof Sdk> | undefined;

/**
 * Imports the SDK when the first server is used: it takes an eighth of a second, and most processes of an
 * app, e.g. its migrations, use none. A failed import is repeated.
 */
export async function sdk(): Promise<typeof Sdk> {
  loaded ??= import("@modelcontextprotocol/client");
  try {
    return await loaded;
  } catch (error) {
    loaded = undefined;
    throw error;
  }
}
