import { PATHS } from "../wire/definition.ts";
import { withAttempts } from "./attempts.ts";
import { endpointFor } from "./endpoint.ts";
import { type ToolMaking, toolsFrom } from "./remote-definitions.ts";
import { RemoteFailure } from "./remote-failure.ts";
import type { RemoteCaller, RemoteToolsOptions } from "./remote-options.ts";
import { refusalOf } from "./server-answer.ts";
import type { ReadList } from "./tool-list.ts";

/** What is needed to make tools of a list. */
export interface Making extends ToolMaking {
  /** Called with the names in `include` that the server does not have. */
  missing(names: readonly string[]): void;
}

/**
 * Reads a server's list of tools; `undefined` if it is still the one with this `etag`.
 *
 * @throws RemoteFailure without credentials
 */
export async function readList<Deps>(
  options: RemoteToolsOptions<Deps>,
  of: RemoteCaller<Deps>,
  etag: string | undefined,
  { missing, ...making }: Making,
): Promise<ReadList | undefined> {
  const { send, hide } = await endpointFor(options, of);
  const { retries = 2, schemaTimeoutMs: timeoutMs = 4_000, maxResultBytes = 1_000_000 } = options;
  const headers = { accept: "application/json", ...(etag !== undefined && { "if-none-match": etag }) };
  // Several runs may wait for the list, so none of them aborts the request.
  const patience = { signal: new AbortController().signal, timeoutMs, retries };
  try {
    const answered = await withAttempts(patience, async (signal) => {
      const answered = await send(PATHS.schema, { headers, signal }, maxResultBytes);
      const { status } = answered;
      if (status !== 200 && (status !== 304 || etag === undefined)) throw refusalOf(answered);
      return answered;
    });
    if (answered.status === 304) return undefined;
    if (answered.excess !== undefined) throw tooLong(answered.excess);
    const made = toolsFrom(answered.body, options, making);
    if (made.missing.length > 0) missing(made.missing);
    return { tools: made.tools, etag: answered.headers.get("etag") ?? undefined };
  } catch (cause) {
    if (!(cause instanceof RemoteFailure)) throw cause;
    throw new RemoteFailure(hide(cause.message), { ...cause });
  }
}

function tooLong(excess: string): RemoteFailure {
  const option = excess.endsWith(" bytes") ? " (`maxResultBytes`)" : "";
  const message = `the list of tools has ${excess}${option}.`;
  return new RemoteFailure(message, { code: "bad_response", ran: "no" });
}
