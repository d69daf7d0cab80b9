import type { Hook, Json, RunContext } from "@pawl/core";
import type { McpUser } from "../base/user.ts";
import type { McpServerOptions } from "../connect/options.ts";
import type { Pool } from "../connect/pool.ts";
import { cancelTask } from "./task-requests.ts";
import { isTaskState, opened } from "./task-state.ts";

/** A call that has ended without the result of its task. */
export interface EndedCall {
  /** The state that was stored when the call last waited. */
  state: Json;
  idempotencyKey: string;
}

/** How long a request to stop a task may take, in milliseconds. A hook's effect is limited to 5,000. */
const CANCEL_MS = 2_000;

type Call = RunContext["run"]["calls"][number];

/** A server, as far as its tasks go. */
export interface TaskOwner<Deps> {
  readonly name: string;
  cancelTask(call: EndedCall, user: McpUser<Deps>): Promise<boolean>;
}

/**
 * Returns the hook that asks servers to stop the tasks of a run that has ended without their results, e.g.
 * because the user has stopped it. The model reads of tasks that may still be running.
 */
export function taskHook<Deps>(servers: readonly TaskOwner<Deps>[]): Hook<Deps> {
  return {
    // An agent may have the hooks of several lists of servers.
    name: `mcp.tasks:${servers.map(({ name }) => name).join(",")}`,
    idempotent: true,
    afterRun: async (_result, context) => {
      const open = context.run.calls.filter(isAbandoned);
      await Promise.all(open.map((call) => end(servers, call, context)));
    },
  };
}

/** Codes of results after which a task may still be running. */
const UNKNOWN: readonly unknown[] = [undefined, "mcp_outcome_unknown", "mcp_unauthorized"];

function isAbandoned({ question, result }: Call): boolean {
  if (question?.by !== undefined || !isTaskState(question?.state)) return false;
  const { success, skipped, report } = result?.data ?? { success: false };
  return skipped === "closed" || (!success && UNKNOWN.includes(report?.code));
}

async function end<Deps>(
  servers: readonly TaskOwner<Deps>[],
  { callId, toolName, question, started }: Call,
  context: RunContext<Deps>,
): Promise<void> {
  const server = servers.find(({ name }) => toolName.startsWith(`mcp__${name}__`));
  if (server === undefined) return;
  const { userId, caller, credentials, deps, signal } = context;
  const ended = { state: question?.state ?? null, idempotencyKey: started?.idempotencyKey ?? "" };
  const isOver = await server
    .cancelTask(ended, { userId, caller, credentials, deps, signal })
    .catch(() => false);
  if (isOver) return;
  const text = `The call ${callId} of ${toolName} is a task of "${server.name}" that was not waited for. It was asked to stop, and may still be running.`;
  await context.append({ type: "note", key: `mcp.tasks:${context.runId}:${callId}`, data: { text } });
}

/** Makes the function by which a server's tasks are stopped. */
export function taskCanceller<Deps>(options: McpServerOptions<Deps>, pool: Pool<Deps>) {
  return async ({ state, idempotencyKey }: EndedCall, user: McpUser<Deps>): Promise<boolean> => {
    if (!isTaskState(state)) return true;
    const task = await opened(options, idempotencyKey, state.task);
    const connection = await pool.of(user);
    const signal = user.signal ?? new AbortController().signal;
    const about = { server: options.name, connection, signal, timeoutMs: CANCEL_MS };
    return await cancelTask(about, task);
  };
}
