import { boundedFetch, refuseTooLarge } from "./http.ts";
import type { McpServerOptions } from "./options.ts";
import { sdk, type Transport } from "./sdk.ts";
import { stdioTransport } from "./stdio.ts";
import type { Token } from "./token.ts";
import { watched } from "./watched.ts";

/** The default of `maxResponseBytes`. The SDK's own limit over stdio is the same. */
const MAX_RESPONSE_BYTES = 10 * 1024 * 1024;

/** A fresh transport to a server. */
export interface Opened {
  transport: Transport;
  /** Sets whether the transport keeps this process running. */
  hold(isHeld: boolean): void;
}

/** Makes a transport to the server that the options name, with the token of its user. */
export async function openTransport<Deps>(
  options: McpServerOptions<Deps>,
  token: Token | undefined,
): Promise<Opened> {
  const { url, command, args = [], env = {}, cwd, headers = {} } = options;
  if (command !== undefined) {
    const { transport, hold } = await stdioTransport({ command, args, env, cwd });
    return { transport: watched(transport), hold };
  }
  const { StreamableHTTPClientTransport } = await sdk();
  const target = {
    url: new URL(String(url)),
    headers,
    fetch: options.fetch ?? fetch,
    maxResponseBytes: options.maxResponseBytes ?? MAX_RESPONSE_BYTES,
  };
  let made: Transport | undefined;
  const bounded = boundedFetch(
    target,
    refuseTooLarge(() => made),
  );
  made = watched(
    new StreamableHTTPClientTransport(target.url, {
      fetch: bounded,
      requestInit: { headers: { ...headers } },
      ...(token !== undefined && { authProvider: authProvider(token) }),
    }) as Transport,
  );
  return { transport: made, hold: () => undefined };
}

function authProvider(token: Token) {
  return {
    token: async () => token.value(),
    onUnauthorized: async ({ response }: { response: Response }) => {
      await token.refresh(response);
    },
  };
}

/** What a transport must not repeat in an error: tokens, headers and the environment of a program. */
export function secretsOf<Deps>({ headers, env, url }: McpServerOptions<Deps>): string[] {
  const inUrl = url === undefined ? [] : [...new URL(String(url)).searchParams.values()];
  return [...Object.values(headers ?? {}), ...Object.values(env ?? {}), ...inUrl].filter(
    (text) => text.length >= 16 && !/\s/.test(text.replace(/^Bearer /i, "")),
  );
}
