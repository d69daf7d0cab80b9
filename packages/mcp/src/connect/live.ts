import { TASKS } from "../base/task-wire.ts";
import type { McpServerOptions } from "./options.ts";
import { type Client, type PriorDiscovery, sdk } from "./sdk.ts";
import { openTransport } from "./target.ts";
import type { Token } from "./token.ts";
import { hasTasks } from "./watched.ts";

const CONNECT_TIMEOUT_MS = 30_000;

/** The longest time to wait for the answer to the question which protocol a server speaks. */
const PROBE_TIMEOUT_MS = 5_000;

/** An open connection. */
export interface Live {
  client: Client;
  /** Sets whether the connection keeps this process running. */
  hold(isHeld: boolean): void;
  isOver: boolean;
  /** The id of its session, of older servers over HTTP. */
  session(): string | undefined;
  /** Closes the connection. With an older protocol, ends the server's session first. Never rejects. */
  close(): Promise<void>;
}

/** How long a server may take to forget a session, in milliseconds. */
const FORGET_MS = 1_000;

/** Opens connections to a server with one user's token. What the server said about itself is asked once. */
export function opener<Deps>(
  options: McpServerOptions<Deps>,
  token: Token | undefined,
  known: Known,
  closings: Closings,
): () => Promise<Live> {
  return async () => {
    const before = known.prior;
    // If it does not hold any more, the next attempt asks again.
    known.prior = undefined;
    const live = await connect(options, token, closings, before);
    known.prior = priorOf(live.client);
    return live;
  };
}

/** What is known of a server from its last connection. */
export interface Known {
  prior: PriorDiscovery | undefined;
}

/** Connections that are being closed while nobody waits for it. */
export interface Closings {
  add(closing: Promise<unknown>): void;
  /** Resolves once all of them are closed. */
  settled(): Promise<void>;
}

/** Makes an empty set of connections that are being closed. */
export function newClosings(): Closings {
  const running = new Set<Promise<unknown>>();
  return {
    add: (closing) => {
      const over = closing.catch(() => undefined).finally(() => running.delete(over));
      running.add(over);
    },
    settled: async () => {
      while (running.size > 0) await Promise.all(running);
    },
  };
}

/** Marks a connection as over, and closes it. */
export function end(live: Live, closings: Closings): void {
  live.isOver = true;
  closings.add(live.client.close());
}

/** Continues a session of an older server, in which a task is. Closing it does not end the session. */
export async function adopt<Deps>(
  options: McpServerOptions<Deps>,
  token: Token | undefined,
  closings: Closings,
  session: string,
): Promise<Live> {
  return await connect({ ...options, protocol: "legacy" }, token, closings, undefined, session);
}

async function connect<Deps>(
  options: McpServerOptions<Deps>,
  token: Token | undefined,
  closings: Closings,
  prior: PriorDiscovery | undefined,
  session?: string,
): Promise<Live> {
  const { protocol = "auto", connectTimeoutMs: timeout = CONNECT_TIMEOUT_MS, tasks = true } = options;
  const { Client } = await sdk();
  const { transport, hold } = await openTransport(options, token, session);
  const mode = protocol === "modern" ? { pin: "2026-07-28" } : protocol;
  const client = new Client(
    { name: "pawl", version: "1" },
    {
      versionNegotiation: { mode, probe: { timeoutMs: Math.min(PROBE_TIMEOUT_MS, timeout) } },
      // Servers hide tools that ask from clients that cannot be asked.
      capabilities: {
        elicitation: { form: {}, url: {} },
        ...(tasks && { extensions: { [TASKS]: {} } }),
      },
      inputRequired: { autoFulfill: false },
    },
  );
  // Older servers ask while the call waits. Such a question dies with the connection, so nobody can answer
  // it later.
  client.setRequestHandler("elicitation/create", async () => ({ action: "cancel" as const }));
  const close = async (): Promise<void> => {
    // Otherwise a script that awaits this could end before the program does.
    hold(true);
    const { terminateSession } = transport as { terminateSession?(): Promise<void> };
    const mustLive = session !== undefined || hasTasks(transport);
    const told = mustLive ? undefined : terminateSession?.call(transport).catch(() => undefined);
    await Promise.race([told, new Promise((resolve) => setTimeout(resolve, FORGET_MS).unref?.())]);
    await client.close().catch(() => undefined);
  };
  const live: Live = { client, hold, isOver: false, close, session: () => transport.sessionId };
  client.onclose = () => {
    live.isOver = true;
  };
  // Late answers and broken streams are reported here too. The requests themselves fail.
  client.onerror = () => undefined;
  try {
    await client.connect(transport, { timeout, ...(prior && { prior }) });
  } catch (error) {
    // Not by the client, which may have forgotten the transport already.
    closings.add(transport.close());
    throw error;
  }
  return live;
}

/** Returns what the server said about itself, so that the next connection need not ask. */
function priorOf(client: Client): PriorDiscovery | undefined {
  if (client.getProtocolEra() === "legacy") return { kind: "legacy" };
  const discover = client.getDiscoverResult();
  return discover === undefined ? undefined : { kind: "modern", discover };
}
