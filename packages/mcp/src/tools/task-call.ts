import type { ToolContext } from "@pawl/core";
import { outcomeUnknown } from "@pawl/core/tools";
import { McpFailure } from "../base/failure.ts";
import { own } from "../base/json.ts";
import type { ServerTask } from "../base/task-wire.ts";
import type { McpServerOptions } from "../connect/options.ts";
import type { Connection } from "../connect/pool.ts";
import type { CallToolResult } from "../connect/sdk.ts";
import { questionFor } from "./question.ts";
import {
  type AboutTask,
  checkedResult,
  getTask,
  isPassing,
  resultOfV1,
  type SeenTask,
  updateTask,
} from "./task-requests.ts";
import { nextPoll, type OpenTask, openTask, storedTask, timesOf } from "./task-state.ts";

const MAX_QUESTIONS = 10;

/** The default time limit of a call, in milliseconds. */
const CALL_MS = 60_000;

/** A call whose tool may become a task. */
export interface TaskCall<Deps> {
  options: McpServerOptions<Deps>;
  connection: Connection;
  /** The tool's name on its server. */
  tool: string;
  context: ToolContext<Deps>;
}

/** Parks a call that has just become a task. Its id is stored before anything else happens. */
export async function parkTask<Deps>(call: TaskCall<Deps>, task: ServerTask): Promise<never> {
  return await park(call, openTask(call.options, task));
}

/**
 * Continues a call that is a task, in any process: sends the user's answers, asks the server how far the task
 * is, and waits again, asks the user, or returns its result.
 */
export async function continueTask<Deps>(call: TaskCall<Deps>, stored: OpenTask): Promise<CallToolResult> {
  const { options, context } = call;
  const { name } = options;
  if (hasQuestion(stored)) return await askUser(call, stored);
  const about = aboutTask(call);
  let task = stored;
  try {
    if (Object.keys(task.answers).length > 0) {
      await updateTask(about, task, task.answers);
      const sent = [...task.sent, ...Object.keys(task.answers)];
      task = { ...task, requests: {}, answers: {}, sent };
    }
    const seen = await getTask(about, task);
    task = { ...task, failures: 0, ...timesOf(options, task.since, seen) };
    return (await outcomeOf(about, task, seen)) ?? (await later(call, task, seen));
  } catch (error) {
    // A question of the call's own, or one about the user's sign-in.
    if (!(error instanceof McpFailure) && !context.signal.aborted) throw error;
    if (context.signal.aborted) throw mayRun(name, "the run was stopped before it was over.");
    return await afterFailure(call, task, error as McpFailure);
  }
}

function aboutTask<Deps>({ options, connection, context: { signal } }: TaskCall<Deps>): AboutTask {
  const { name, timeoutMs = CALL_MS } = options;
  // Several requests fit into the time limit of a call, which core watches.
  return { server: name, connection, signal, timeoutMs: timeoutMs * 0.4 };
}

/** Whether a request of the current round has no answer yet. */
function hasQuestion({ requests, answers }: OpenTask): boolean {
  return Object.keys(requests).some((key) => !Object.hasOwn(answers, key));
}

/** Returns the result of a task that is over; `undefined` if it is not. @throws McpFailure */
async function outcomeOf(
  about: AboutTask,
  task: OpenTask,
  seen: SeenTask,
): Promise<CallToolResult | undefined> {
  const { server: name } = about;
  const { status, wire } = seen;
  const isV1 = wire === "v1";
  if (status === "cancelled") throw failed(`"${name}" has cancelled the task of this call. ${seen.message}`);
  if (status === "completed")
    return await checkedResult(name, isV1 ? await resultOfV1(about, task, false) : seen.result);
  if (status === "failed") {
    // The older wire has the result of a failed tool there.
    const result = isV1 && (await resultOfV1(about, task, false).catch(() => undefined));
    if (result) return { ...(await checkedResult(name, result)), isError: true };
    throw failed(`"${name}": ${seen.error || seen.message || "The task has failed."}`);
  }
  if (status === "working" || !isV1) return undefined;
  const result = await resultOfV1(about, task, true).catch(() => undefined);
  return result === undefined ? undefined : await checkedResult(name, result);
}

/** Asks the user what the task asks, or waits. @throws McpFailure if its time is over */
async function later<Deps>(call: TaskCall<Deps>, task: OpenTask, seen: SeenTask): Promise<never> {
  const { options } = call;
  const { maxQuestions = MAX_QUESTIONS, name, now = Date.now } = options;
  // A request may still be listed after its answer has arrived.
  const fresh = Object.entries(seen.requests).filter(([key]) => !task.sent.includes(key));
  if (now() >= task.until) throw mayRun(name, "its time is over.");
  if (seen.status !== "input_required" || fresh.length === 0) return await park(call, task);
  const round = task.round + 1;
  if (round > maxQuestions)
    throw mayRun(name, `it asked for input ${maxQuestions} times, which is the limit.`);
  return await askUser(call, { ...task, round, requests: Object.fromEntries(fresh), answers: {} });
}

/** Waits and tries again if that may help. @throws McpFailure */
async function afterFailure<Deps>(call: TaskCall<Deps>, task: OpenTask, error: McpFailure): Promise<never> {
  const { name, now = Date.now } = call.options;
  if (isPassing(error)) {
    if (now() < task.until) return await park(call, { ...task, failures: task.failures + 1 });
    throw mayRun(name, "its time is over, and the server cannot be asked.");
  }
  if (error.rpcCode !== undefined)
    throw mayRun(name, `the server does not know its task any more: ${error.message}`);
  const isRefused = error.code === "mcp_unauthorized";
  const message = `${error.message} The task of this call may still be running.`;
  throw isRefused ? new McpFailure("mcp_unauthorized", "unknown", message) : error;
}

async function askUser<Deps>({ options, tool, context }: TaskCall<Deps>, task: OpenTask): Promise<never> {
  const { requests, answers } = task;
  const asking = Object.keys(requests).find((key) => !Object.hasOwn(answers, key)) as string;
  const question = questionFor(options.name, tool, own(requests, asking));
  return context.ask({ ...question, state: await storedTask(options, context, { ...task, asking }) });
}

/** Lets go of the call. At its time, any process continues it with what is stored here. */
async function park<Deps>({ options, context }: TaskCall<Deps>, task: OpenTask): Promise<never> {
  const state = await storedTask(options, context, { ...task, asking: null });
  const now = (options.now ?? Date.now)();
  return context.wait({ afterMs: Math.max(nextPoll(task, now) - now, 0), state });
}

function failed(message: string): McpFailure {
  return new McpFailure("mcp_task_failed", "failed", message.trim());
}

/** Returns the failure of a call whose task may still be running. */
export function mayRun(server: string, why: string): McpFailure {
  const reason = `it is a task of "${server}", and ${why.replace(/\.?$/, ".")}`;
  const message = `${outcomeUnknown(reason)} The task may still be running.`;
  return new McpFailure("mcp_outcome_unknown", "unknown", message);
}
