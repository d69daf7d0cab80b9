import type { JsonObject, ToolContext } from "@pawl/core";
import { backoff } from "@pawl/core/model";
import { outcomeUnknown } from "@pawl/core/tools";
import { McpFailure } from "../base/failure.ts";
import { hide } from "../base/hide.ts";
import { taskIn } from "../base/task-wire.ts";
import { callerOf } from "../base/user.ts";
import type { McpServerOptions } from "../connect/options.ts";
import { type Connection, type Pool, TIMEOUT_MS } from "../connect/pool.ts";
import type { CallToolResult } from "../connect/sdk.ts";
import { type Attempt, type InputRequired, pause, send } from "./attempt.ts";
import { checkedOutput } from "./check-output.ts";
import type { ListedTool } from "./fingerprint.ts";
import { connectorOf } from "./names.ts";
import type { McpResult } from "./result.ts";
import { askedBefore, askNext, type Round, refusedAgain } from "./rounds.ts";
import { shortProgress } from "./short-progress.ts";
import { askToSignIn, notSignedIn, refuseChanged } from "./sign-in-question.ts";
import { continueTask, mayRun, parkTask } from "./task-call.ts";
import { taskBefore, taskParams } from "./task-state.ts";
import { triedBefore } from "./tried-before.ts";

const MAX_QUESTIONS = 10;

/** The pauses before a server that needs nothing but time is asked again. */
const AGAIN = { baseMs: 1_000, maxMs: 5_000 };

/** A tool of a server, as it was listed. */
export interface ServerTool<Deps> {
  options: McpServerOptions<Deps>;
  pool: Pool<Deps>;
  listed: ListedTool;
  /** Whether a call may be repeated: the server says so, and is trusted. */
  isSafe: boolean;
}

/** Calls a tool on its server, for the user of the call. What the server asks becomes a question. */
export async function callTool<Deps>(
  tool: ServerTool<Deps>,
  input: JsonObject,
  context: ToolContext<Deps>,
): Promise<McpResult> {
  const { options, pool, listed } = tool;
  context.report({ connector: connectorOf(options.name) });
  const connection = await pool.of(callerOf(context));
  try {
    const result = await settled(tool, connection, input, context);
    return await checkedOutput(options.name, listed, result, connection.secrets());
  } catch (error) {
    if (!(error instanceof McpFailure) || error.code !== "mcp_unauthorized") throw error;
    return await askToSignIn(tool, context, error);
  }
}

/** Continues a call that is a task, or sends it. Throws instead of returning if the call has to wait. */
async function settled<Deps>(
  tool: ServerTool<Deps>,
  connection: Connection,
  input: JsonObject,
  context: ToolContext<Deps>,
): Promise<CallToolResult> {
  const { options, listed, isSafe } = tool;
  const call = { options, connection, tool: listed.name, context };
  const before = await taskBefore(options, context);
  if (context.answered?.value === false) throw notSignedIn(options.name, before !== undefined);
  if (before !== undefined) return await continueTask(call, before);
  await refuseChanged(tool, context);
  if (!isSafe && (await triedBefore(context))) throw cutOff(options.name);
  const result = await answered(tool, connection, input, context);
  const task = taskIn(result);
  if (task === null) throw mayRun(options.name, "its id is not valid.");
  if (task !== undefined && options.tasks === false)
    throw mayRun(options.name, "`tasks` of mcpServer() is false.");
  return task === undefined ? result : await parkTask(call, task);
}

/** Sends the call until the server returns a result, or something that the user has to answer. */
async function answered<Deps>(
  tool: ServerTool<Deps>,
  connection: Connection,
  input: JsonObject,
  context: ToolContext<Deps>,
): Promise<CallToolResult> {
  const { options, isSafe } = tool;
  const { name, maxQuestions = MAX_QUESTIONS } = options;
  const asked = await askedBefore(options, context);
  let resume: JsonObject | undefined = asked && (await continued(tool, asked, context));
  let last: Round | undefined = asked;
  for (let round = asked?.round ?? 0; ; ) {
    const result = await send(connection, attemptOf(tool, connection, input, context, resume), isSafe).catch(
      (error: unknown) => {
        if (resume === undefined || !isExpired(error)) throw error;
        if (!isSafe) throw expired(name);
        return undefined;
      },
    );
    if (result === undefined) {
      // Nothing is kept twice by such a tool. So the call begins again, and the answers are used once more.
      resume = undefined;
      continue;
    }
    if (!needsInput(result)) return result;
    round += 1;
    if (round > maxQuestions)
      throw new McpFailure(
        "mcp_refused",
        "failed",
        `"${name}" asked for input ${maxQuestions} times, which is the limit.`,
      );
    const { inputRequests = {}, requestState } = result;
    const requests = hide(inputRequests, connection.secrets());
    const reused = answersFor(requests, last);
    if (reused !== undefined && resume === undefined) {
      resume = { inputResponses: reused, ...(requestState !== undefined && { requestState }) };
      last = undefined;
      continue;
    }
    if (last !== undefined && refusedAgain(last, requests))
      throw new McpFailure(
        "mcp_refused",
        "failed",
        "The user did not want to answer, and the server asked again.",
      );
    if (Object.keys(requests).length > 0)
      return await askNext(options, tool.listed.name, context, {
        round,
        requests,
        answers: {},
        requestState: requestState ?? null,
      });
    await pause(backoff(round, AGAIN), context.signal);
    resume = { inputResponses: {}, ...(requestState !== undefined && { requestState }) };
  }
}

/** Returns what to send with a call that was answered; asks the next question of the same round first. */
async function continued<Deps>(
  { options, listed }: ServerTool<Deps>,
  asked: Round,
  context: ToolContext<Deps>,
): Promise<JsonObject> {
  if (Object.keys(asked.requests).some((key) => !Object.hasOwn(asked.answers, key)))
    return await askNext(options, listed.name, context, asked);
  const { answers, requestState } = asked;
  return { inputResponses: answers, ...(requestState !== null && { requestState }) };
}

/** Returns the answers of an earlier round, if the server asks the same again. */
function answersFor(requests: JsonObject, last: Round | undefined): JsonObject | undefined {
  return last !== undefined && JSON.stringify(requests) === JSON.stringify(last.requests)
    ? last.answers
    : undefined;
}

function attemptOf<Deps>(
  { options, listed }: ServerTool<Deps>,
  connection: Connection,
  input: JsonObject,
  { callId, idempotencyKey, signal, progress }: ToolContext<Deps>,
  resume: JsonObject | undefined,
): Attempt {
  const { outputSchema: _, ...definition } = listed;
  return {
    name: listed.name,
    input,
    definition,
    callId,
    idempotencyKey,
    timeoutMs: options.timeoutMs ?? TIMEOUT_MS,
    asTask: taskParams(options, listed),
    signal,
    resume,
    onProgress: (data) => progress(shortProgress(hide(data, connection.secrets()))),
  };
}

function needsInput(result: CallToolResult | InputRequired): result is InputRequired {
  return result.resultType === "input_required";
}

/** Whether a server refuses the state that it gave us. By default, the SDK keeps it for ten minutes. */
function isExpired(error: unknown): boolean {
  return error instanceof McpFailure && error.isExpired;
}

function cutOff(server: string): McpFailure {
  const why = `its process was cut off while "${server}" ran it.`;
  return new McpFailure("mcp_outcome_unknown", "unknown", outcomeUnknown(why));
}

function expired(server: string): McpFailure {
  const message = `"${server}" does not accept the user's answer any more, because it came too late. What the call did before its question may have taken effect. Call the tool again to ask again.`;
  return new McpFailure("mcp_refused", "failed", message);
}
