import type { Json, ToolContext } from "@pawl/core";
import { withoutHidden } from "@pawl/core/tools";
import { PATHS, type ToolDefinition, type WireReport } from "../wire/definition.ts";
import { withAttempts } from "./attempts.ts";
import { type Answered, type Endpoint, endpointFor } from "./endpoint.ts";
import { RemoteFailure } from "./remote-failure.ts";
import type { RemoteToolsOptions } from "./remote-options.ts";
import { errorIn, refusalOf } from "./server-answer.ts";

const DEFAULT_TIMEOUT_MS = 60_000;
/** Error codes that may mean that the cached list of tools is stale. */
const OUTDATED: readonly string[] = ["unknown_tool", "invalid_tool_input", "http_404", "http_422"];

/** The time for the network, in milliseconds, in addition to the tool's own time limit. */
const WAY_MS = 2_000;

/**
 * Calls a tool of a server and returns its result.
 *
 * @param outdated is called if the server no longer has the tool, or has another schema for it
 * @throws Error with a message for the model and a `code`, without credentials; or the signal's reason
 */
export async function callRemote<Deps>(
  options: RemoteToolsOptions<Deps>,
  definition: ToolDefinition,
  input: unknown,
  context: ToolContext<Deps>,
  outdated: () => void,
): Promise<Json> {
  const { signal } = context;
  const { name, idempotent = false, timeout_ms } = definition;
  const stated = timeout_ms === undefined ? DEFAULT_TIMEOUT_MS : timeout_ms + WAY_MS;
  const patience = {
    signal,
    timeoutMs: options.timeoutMs ?? stated,
    retries: idempotent ? (options.retries ?? 2) : 0,
  };
  let endpoint: Endpoint | undefined;
  try {
    endpoint = await endpointFor(options, context);
    const { send } = endpoint;
    const request = await requestFor(name, input, context.idempotencyKey);
    const maxBytes = options.maxResultBytes ?? 1_000_000;
    return await withAttempts(patience, async (signal) =>
      resultIn(await send(PATHS.execute, { ...request, signal }, maxBytes), context),
    );
  } catch (cause) {
    if (!(cause instanceof RemoteFailure)) throw cause;
    if (OUTDATED.includes(cause.code)) outdated();
    // Not as the cause: this error is stored and shown, and the other one has the server's own words.
    const message = cause.forModel();
    throw Object.assign(new Error(endpoint?.hide(message) ?? message), { code: cause.code });
  }
}

async function requestFor(tool_name: string, tool_input: unknown, key: string): Promise<RequestInit> {
  return {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json",
      "idempotency-key": await headerKey(key),
    },
    body: JSON.stringify({ tool_name, tool_input }),
  };
}

/** Returns the key, or its hash if it has characters that a header must not have. */
async function headerKey(key: string): Promise<string> {
  if (/^[\x21-\x7e]{1,255}$/.test(key)) return key;
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(key));
  return Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Returns the result in a response, and passes on what the tool reported. @throws RemoteFailure */
function resultIn(answered: Answered, { report }: Pick<ToolContext, "report">): Json {
  const { status, excess } = answered;
  const body = Object(answered.body) as { result?: Json; error?: unknown; report?: WireReport };
  passOn(body.report, report);
  if (status < 200 || status >= 300) throw refusalOf(answered);
  if (body.error !== undefined && body.error !== null) {
    const { code = "tool_failed", message = "It failed without an error message." } = errorIn(body);
    throw new RemoteFailure(message, { code, ran: "yes" });
  }
  if (excess !== undefined) {
    const message = `The tool did its work, but its result has ${excess}.`;
    throw new RemoteFailure(message, { code: "result_too_large", ran: "yes" });
  }
  if (body.result !== undefined) return body.result;
  const message = "the tool's server answered with something other than JSON with a `result`.";
  throw new RemoteFailure(message, { code: "bad_response", ran: "maybe" });
}

/** Returns a text for people without invisible characters. */
const visible = <T>(text: T): T => (typeof text === "string" ? (withoutHidden(text) as T) : text);

/** Reports what the server says about the call. What is not valid there must not fail the call. */
function passOn(said: WireReport | undefined, report: ToolContext["report"]): void {
  if (typeof said !== "object" || said === null) return;
  const { cost_usd: costUsd, connector, fragments, sources: listed, summary: told } = said;
  const summary = visible(told);
  // One that is not valid is refused with all others.
  const sources = Array.isArray(listed)
    ? listed.map((one) => (Object(one) === one ? { ...one, title: visible(one.title) } : one))
    : listed;
  for (const fact of [{ costUsd }, { connector }, { fragments }, { sources }, { summary }]) {
    try {
      if (Object.values(fact)[0] !== undefined) report(fact as Parameters<typeof report>[0]);
    } catch {
      // The other facts may be valid.
    }
  }
}
