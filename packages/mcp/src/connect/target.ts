import { LOST } from "../base/failure.ts";
import { boundedFetch, limitedFetch, refuseBy } from "./http.ts";
import { protocolJudge } from "./judge.ts";
import type { McpServerOptions } from "./options.ts";
import { sdk, type Transport } from "./sdk.ts";
import { newSessionStream, type SessionStream } from "./session-stream.ts";
import { stdioTransport } from "./stdio.ts";
import type { Token } from "./token.ts";
import { newTraffic } from "./traffic.ts";
import { watched } from "./watched.ts";

/** The default of `maxResponseBytes`. The SDK's own limit over stdio is the same. */
const MAX_RESPONSE_BYTES = 10 * 1024 * 1024;

/** The version of the protocol whose sessions have tasks. */
const TASK_VERSION = "2025-11-25";

/** A fresh transport to a server. */
export interface Opened {
  transport: Transport;
  /** Sets whether the transport keeps this process running. */
  hold(isHeld: boolean): void;
}

/**
 * Makes a transport to the server that the options name, with the token of its user. With `session`, it
 * continues a session over HTTP that another connection has begun.
 */
export async function openTransport<Deps>(
  options: McpServerOptions<Deps>,
  token: Token | undefined,
  session?: string,
): Promise<Opened> {
  const { url, command, args = [], env = {}, cwd, headers = {}, now } = options;
  const judge = await protocolJudge();
  const traffic = newTraffic(now);
  if (command !== undefined) {
    let made: Transport | undefined;
    const refuse = refuseBy(() => made);
    const isFlood = (lines: number): boolean => {
      const flood = traffic.received("events", lines);
      if (flood === undefined) return false;
      for (const id of [...traffic.open.keys()]) refuse(id, flood, LOST);
      return true;
    };
    const { transport, hold } = await stdioTransport({ command, args, env, cwd }, isFlood);
    made = watched(transport, judge, traffic);
    return { transport: made, hold };
  }
  const { StreamableHTTPClientTransport } = await sdk();
  const target = {
    url: new URL(String(url)),
    headers,
    fetch: options.fetch ?? fetch,
    maxResponseBytes: options.maxResponseBytes ?? MAX_RESPONSE_BYTES,
  };
  let made: Transport | undefined;
  let stream: SessionStream | undefined;
  const refuse = refuseBy(() => made);
  const http = new StreamableHTTPClientTransport(target.url, {
    fetch: boundedFetch(target, traffic, refuse, () => stream),
    requestInit: { headers: { ...headers } },
    reconnectionScheduler: resumeLater,
    ...(session !== undefined && { sessionId: session, protocolVersion: TASK_VERSION }),
    ...(token !== undefined && { authProvider: authProvider(token) }),
  }) as Transport;
  const limited = limitedFetch(target, traffic);
  stream = newSessionStream(http, (input, init) =>
    limited(input, init, (text) => {
      for (const id of [...traffic.open.keys()]) refuse(id, text, LOST);
    }),
  );
  made = watched(http, judge, traffic, stream);
  return { transport: made, hold: () => undefined };
}

/** How long a stream that broke off is left before it is resumed, whatever its server wants. */
const RESUME_AFTER_MS = { least: 1_000, most: 30_000 };

/** Resumes a stream. The request that waits for it keeps this process running. */
function resumeLater(resume: () => void, ms: number): () => void {
  const { least, most } = RESUME_AFTER_MS;
  const timer = setTimeout(resume, Math.min(Math.max(ms, least), most));
  timer.unref?.();
  return () => clearTimeout(timer);
}

function authProvider(token: Token) {
  return {
    token: async () => token.value(),
    onUnauthorized: async ({ response }: { response: Response }) => {
      await token.refresh(response);
    },
  };
}

/** The shortest values that count as secrets, in characters. Those of programs are often words or paths. */
const SHORTEST_HEADER = 8;
const SHORTEST_OTHER = 16;

/** Returns what must not be repeated: headers, a program's environment, and parameters of the address. */
export function secretsOf<Deps>({ headers, env, url }: McpServerOptions<Deps>): string[] {
  const inUrl = url === undefined ? [] : [...new URL(String(url)).searchParams.values()];
  // A server may repeat a key without the word before it.
  const keys = Object.values(headers ?? {}).map((text) => text.replace(/^[a-z]+ /i, ""));
  const others = [...Object.values(env ?? {}), ...inUrl].filter(({ length }) => length >= SHORTEST_OTHER);
  return [...keys.filter(({ length }) => length >= SHORTEST_HEADER), ...others].filter(
    (text) => !/\s/.test(text),
  );
}
