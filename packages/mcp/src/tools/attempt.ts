import type { JsonObject } from "@pawl/core";
import { backoff } from "@pawl/core/model";
import { McpFailure } from "../base/failure.ts";
import type { Connection } from "../connect/pool.ts";
import type { CallToolResult, Client } from "../connect/sdk.ts";

/** One request to run a tool. */
export interface Attempt {
  /** The tool's name on its server. */
  name: string;
  input: JsonObject;
  /** The tool as it was listed: some servers want parts of the input in headers. */
  definition: object;
  callId: string;
  idempotencyKey: string;
  timeoutMs: number;
  /** What to send in `task` to an older server, so that the call becomes a task there. */
  asTask: JsonObject | undefined;
  signal: AbortSignal;
  /** Answers to the server's questions, with its state. */
  resume: JsonObject | undefined;
  onProgress(progress: JsonObject): void;
}

/** What a server returns if it needs input before it can answer. */
export interface InputRequired {
  resultType: "input_required";
  inputRequests?: JsonObject;
  requestState?: string;
}

/** What is added to the tool's own time limit, so that core ends the call and says that its time is over. */
const EXTRA_MS = 2_000;

/** How often a call is repeated after a lost connection, if it is safe, and the pauses before. */
const RETRIES = 2;
const PAUSES = { baseMs: 250, maxMs: 1_000 };

/**
 * Sends a call. One whose outcome is unknown is sent again only if `isSafe`.
 *
 * @throws McpFailure; the signal's reason if it is aborted
 */
export async function send(
  connection: Connection,
  attempt: Attempt,
  isSafe: boolean,
): Promise<CallToolResult | InputRequired> {
  for (let retries = 0; ; retries += 1) {
    try {
      return await connection.use((client) => request(client, attempt), { signal: attempt.signal });
    } catch (error) {
      if (error instanceof McpFailure && error.code === "mcp_busy") throw error;
      if (attempt.signal.aborted) throw attempt.signal.reason;
      const isUnknown = error instanceof McpFailure && error.outcome === "unknown";
      if (!isUnknown || !isSafe || retries === RETRIES) throw error;
      await pause(backoff(retries + 1, PAUSES), attempt.signal);
    }
  }
}

async function request(client: Client, attempt: Attempt): Promise<CallToolResult | InputRequired> {
  const { name, input, definition, callId, idempotencyKey, timeoutMs, signal, resume, onProgress } = attempt;
  const task = takesTasks(client) ? attempt.asTask : undefined;
  // It may have waited for its turn.
  signal.throwIfAborted();
  const params = {
    name,
    arguments: input,
    ...resume,
    ...(task !== undefined && { task }),
    _meta: { "pawl/callId": callId, "pawl/idempotencyKey": idempotencyKey },
  };
  // The SDK's type of `callTool` lacks `inputResponses` and the result that asks for input. It would also
  // check the result by the output schema, with the same code for a mismatch as for an unknown tool. So the
  // definition that it gets has no output schema.
  return (await client.callTool(params as never, {
    signal,
    timeout: timeoutMs + EXTRA_MS,
    resetTimeoutOnProgress: true,
    allowInputRequired: true,
    toolDefinition: definition as never,
    onprogress: (progress) => onProgress(progress as unknown as JsonObject),
  })) as CallToolResult | InputRequired;
}

/** Whether an older server runs calls as tasks. Newer ones decide by themselves. */
function takesTasks(client: Client): boolean {
  const { tasks } = client.getServerCapabilities() ?? {};
  return client.getProtocolEra() === "legacy" && tasks?.requests?.tools?.call !== undefined;
}

/** Waits. Rejects with the signal's reason if it is aborted. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const abort = () => reject(signal.reason);
  const timer = setTimeout(resolve, ms);
  signal.addEventListener("abort", abort, { once: true });
  if (signal.aborted) abort();
  try {
    await promise;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", abort);
  }
}
