import type { McpServer, ServerContext } from "@modelcontextprotocol/server";
import { type JsonObject, PawlError, type Question, type Runtime } from "@pawl/core";
import { objectIn, own } from "../base/json.ts";
import { TASKS } from "../base/task-wire.ts";
import { showsForms, takesTasks } from "./client-abilities.ts";
import { answerTo } from "./form.ts";
import { askerOf, resultFor, type ServedAgent } from "./serve-call.ts";
import { describeTask, keyOf, newTask, type RunTask, readTaskId, type TaskAsker } from "./task-of-run.ts";

type Sdk = typeof import("@modelcontextprotocol/server");

/** Accepts anything: the SDK knows no tasks. */
const ANY = {
  "~standard": { version: 1, vendor: "pawl-mcp", validate: (value: unknown) => ({ value: value as object }) },
} as const;

const INVALID_PARAMS = -32_602;

/** The first code that JSON-RPC leaves to servers. */
const OVERLOADED = -32_000;

/** Returns the text of the error of a process that has too much to read. */
function busyText({ message, details }: PawlError): string {
  const seconds = Math.max(1, Math.ceil(Number(details.retryAfterMs) / 1_000) || 1);
  return `${message} Ask again after ${seconds} s. The task is not affected.`;
}

/** Adds the three methods by which clients ask about tasks, answer their questions and cancel them. */
export function serveTasks(sdk: Sdk, server: McpServer, { runtime, agent }: ServedAgent): void {
  const refuse = (message: string): Error => new sdk.ProtocolError(INVALID_PARAMS, message);
  const unknown = () => refuse("Failed to retrieve task: Task not found");

  /** Calls back with the task that a request names, if it is one of its user. */
  const handle = (method: string, act: (task: RunTask, ctx: ServerContext) => Promise<object>) =>
    server.server.setRequestHandler(method, { params: ANY }, async (params, ctx) => {
      if (!takesTasks(ctx))
        throw new sdk.MissingRequiredClientCapabilityError({
          requiredCapabilities: { extensions: { [TASKS]: {} } },
        });
      const task = readTaskId((params as { taskId?: unknown }).taskId);
      if (task === undefined) throw unknown();
      try {
        return (await act(task, ctx)) as never;
      } catch (error) {
        if (PawlError.is(error, "overloaded")) throw new sdk.ProtocolError(OVERLOADED, busyText(error));
        throw PawlError.is(error, "not_found") ? unknown() : error;
      }
    });

  const described = async (task: RunTask, ctx: ServerContext): Promise<JsonObject> => {
    const found = await describeTask(runtime, task, taskAskerOf(ctx), (end) => resultFor(task.session, end));
    if (found === undefined) throw unknown();
    return found;
  };

  handle("tasks/get", async (task, ctx) => {
    const now = await described(task, ctx);
    if (now.status !== "input_required" || showsForms(ctx)) return now;
    // Nobody would ever answer.
    await runtime.stop(task.session, { userId: askerOf(ctx).userId });
    return await described(task, ctx);
  });
  handle("tasks/update", async (task, ctx) => {
    await described(task, ctx);
    const given = objectIn(ctx.mcpReq.inputResponses as JsonObject | undefined);
    const { pending } = await runtime.view(task.session, { userId: askerOf(ctx).userId });
    // Answers to questions that are not open are ignored, as the specification wants it.
    for (const question of pending) {
      const response = own(given, keyOf(question));
      if (response !== undefined) await answer(question, objectIn(response), task, ctx);
    }
    return {};
  });
  handle("tasks/cancel", async (task, ctx) => {
    const { status } = await described(task, ctx);
    const { userId } = askerOf(ctx);
    if (status === "working" || status === "input_required") await runtime.stop(task.session, { userId });
    return {};
  });

  async function answer(
    question: Question,
    response: JsonObject,
    { session: sessionId }: RunTask,
    ctx: ServerContext,
  ): Promise<void> {
    const { callId, seq } = question;
    try {
      const answers = [{ callId, question: seq, ...answerTo(question, response) }];
      await startOf(runtime, agent, { ...askerOf(ctx), sessionId, answers });
    } catch (error) {
      if (PawlError.is(error, "already_answered")) return;
      if (error instanceof SyntaxError || PawlError.is(error, "invalid_answer"))
        throw refuse(`The answer "${keyOf(question)}" is not valid: ${error.message}`);
      throw error;
    }
  }
}

/** Waits until the answers are stored, but not for the rest of the run. */
async function startOf(
  runtime: Runtime,
  agent: string,
  options: Parameters<Runtime["run"]>[1],
): Promise<void> {
  const run = runtime.run(agent, options);
  run.result.catch(() => undefined);
  await run.started;
}

/** Returns the result of a call that has become a task. */
export async function taskResult(
  { runtime }: ServedAgent,
  task: RunTask,
  ctx: ServerContext,
): Promise<JsonObject> {
  const now = await describeTask(runtime, task, taskAskerOf(ctx), (end) =>
    resultFor(task.session, end),
  ).catch((error: unknown) => {
    // The run has begun, and the client needs the task's id to ask again.
    if (PawlError.is(error, "overloaded")) return newTask(runtime, task);
    throw error;
  });
  const { result: _, inputRequests: _requests, ...seed } = now ?? {};
  return { ...seed, resultType: "task" };
}

function taskAskerOf(ctx: ServerContext): TaskAsker {
  return { userId: askerOf(ctx).userId, signal: ctx.mcpReq.signal };
}
