import type { Json, JsonObject } from "@pawl/core";
import { withoutHidden } from "@pawl/core/tools";
import { McpFailure, type McpFailureCode, unusable } from "../base/failure.ts";
import { hide } from "../base/hide.ts";
import { objectIn } from "../base/json.ts";
import { readTask, type ServerTask } from "../base/task-wire.ts";
import { protocolJudge } from "../connect/judge.ts";
import type { Connection } from "../connect/pool.ts";
import { type CallToolResult, type Client, sdk } from "../connect/sdk.ts";
import type { OpenTask } from "./task-state.ts";

/** A task as its server reports it: its status, and the result, error or questions of that status. */
export interface SeenTask extends ServerTask {
  /** What the server asks, by keys. */
  requests: JsonObject;
  /** The result of a task that has completed, not checked. */
  result: Json | undefined;
  /** Why the task failed. */
  error: string;
}

type Named = Pick<OpenTask, "id" | "wire" | "session">;

/** Settings of the requests about a task. */
export interface AboutTask {
  /** The server's name. */
  server: string;
  connection: Connection;
  signal: AbortSignal;
  /** How long one request may take, in milliseconds. */
  timeoutMs: number;
}

/** How long a task of the older wire may hold the request for its result while it asks something. */
const ASKING_MS = 10_000;

/** Accepts anything: the SDK knows no tasks. What comes is checked by `readTask`. */
const ANY = {
  "~standard": { version: 1, vendor: "pawl-mcp", validate: (value: unknown) => ({ value }) },
} as const;

async function ask(
  { connection, signal, timeoutMs: timeout }: AboutTask,
  method: string,
  session: string | undefined,
  params: JsonObject,
): Promise<JsonObject> {
  const given = await connection.use(
    (client: Client) => {
      signal.throwIfAborted();
      return client.request({ method, params } as never, ANY as never, { signal, timeout });
    },
    { session, signal },
  );
  return objectIn(given as Json);
}

/** Asks the server about a task. @throws McpFailure */
export async function getTask(about: AboutTask, { id, wire, session }: Named): Promise<SeenTask> {
  const given = await ask(about, "tasks/get", session, { taskId: id });
  const task = readTask(wire, given);
  if (task === undefined || task.id !== id) throw nonsense(about.server);
  const { message } = objectIn(given.error);
  const secrets = about.connection.secrets();
  return {
    ...task,
    message: withoutHidden(hide(task.message, secrets)),
    requests: hide(objectIn(given.inputRequests), secrets),
    result: given.result,
    error: typeof message === "string" ? withoutHidden(hide(message, secrets)) : "",
  };
}

/** Sends the user's answers to a task. */
export async function updateTask(
  about: AboutTask,
  { id, session }: Named,
  inputResponses: JsonObject,
): Promise<void> {
  await ask(about, "tasks/update", session, { taskId: id, inputResponses });
}

/**
 * Asks for the result of a task of the older wire. While such a task asks something, this request delivers
 * the question, which is cancelled (see `live.ts`).
 */
export async function resultOfV1(about: AboutTask, { id, session }: Named, isAsking: boolean): Promise<Json> {
  const timeoutMs = isAsking ? Math.min(ASKING_MS, about.timeoutMs) : about.timeoutMs;
  return await ask({ ...about, timeoutMs }, "tasks/result", session, { taskId: id });
}

/**
 * Asks the server to stop a task. Resolves to `true` if the task is over, `false` if it may still be running.
 */
export async function cancelTask(about: AboutTask, task: Named): Promise<boolean> {
  await ask(about, "tasks/cancel", task.session, { taskId: task.id });
  const { status } = await getTask(about, task);
  return status !== "working" && status !== "input_required";
}

function nonsense(server: string): McpFailure {
  const message = `"${server}" does not describe the task of this call when it is asked about it.`;
  return new McpFailure("mcp_outcome_unknown", "unknown", message);
}

/** Returns the result of a task as one of a call. @throws McpFailure if it is not valid */
export async function checkedResult(server: string, given: Json | undefined): Promise<CallToolResult> {
  const { specTypeSchemas } = await sdk();
  const { resultType: _, ...result } = objectIn(given);
  const judge = await protocolJudge();
  const wrong = judge("CallToolResult", result);
  if (wrong !== undefined) throw unusable(server, wrong);
  const checked = await specTypeSchemas.CallToolResult["~standard"].validate(result);
  if (checked.issues === undefined) return checked.value as CallToolResult;
  throw unusable(server, "it is not a valid result of a tool");
}

/** The codes of failures after which asking again may help. */
const PASSING: readonly McpFailureCode[] = [
  "mcp_unreachable",
  "mcp_circuit_open",
  "mcp_busy",
  "mcp_outcome_unknown",
  "mcp_refused",
];

/** Whether asking about the task again may help. */
export function isPassing(error: unknown): boolean {
  if (!(error instanceof McpFailure)) return false;
  if (error.rpcCode !== undefined) return error.rpcCode === INTERNAL_ERROR;
  return PASSING.includes(error.code);
}

const INTERNAL_ERROR = -32_603;
