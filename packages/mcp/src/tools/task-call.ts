import type { Json, ToolContext } from "@pawl/core";
import { outcomeUnknown } from "@pawl/core/tools";
import { McpFailure } from "../base/failure.ts";
import { own } from "../base/json.ts";
import type { ServerTask } from "../base/task-wire.ts";
import type { McpServerOptions } from "../connect/options.ts";
import { type Connection, TIMEOUT_MS } from "../connect/pool.ts";
import type { CallToolResult } from "../connect/sdk.ts";
import { pause } from "./attempt.ts";
import { checkRound, questionFor } from "./question.ts";
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
import { isOutside } from "./tried-before.ts";

const MAX_QUESTIONS = 10;

/** A call whose tool may become a task. */
export interface TaskCall<Deps> {
  options: McpServerOptions<Deps>;
  connection: Connection;
  /** The tool's name on its server. */
  tool: string;
  context: ToolContext<Deps>;
}

/** Parks a call that has just become a task. Its id is stored before anything else happens. */
export async function parkTask<Deps>(call: TaskCall<Deps>, task: ServerTask): Promise<CallToolResult> {
  return await park(call, openTask(call.options, task));
}

/**
 * Continues a call that is a task, in any process: sends the user's answers, asks the server how far the task
 * is, and waits again, asks the user, or returns its result.
 */
export async function continueTask<Deps>(call: TaskCall<Deps>, stored: OpenTask): Promise<CallToolResult> {
  const { options, context } = call;
  if (hasQuestion(stored)) return await askUser(call, stored);
  let looked: Looked;
  try {
    looked = await look(aboutTask(call), stored);
  } catch (error) {
    if (context.signal.aborted) throw mayRun(options.name, "the run was stopped before it was over.");
    if (!(error instanceof McpFailure)) throw error;
    return await afterFailure(call, stored, error);
  }
  const { sent, seen, result } = looked;
  const task = { ...sent, failures: 0, ...timesOf(options, sent.since, seen) };
  return (await outcomeOf(options.name, seen, result)) ?? (await later(call, task, seen));
}

/** What the server says about a task, after it has got the user's answers. */
interface Looked {
  sent: OpenTask;
  seen: SeenTask;
  /** The result of a task that is over, not checked. */
  result: Json | undefined;
}

/** Sends the user's answers, and asks the server about the task. @throws McpFailure */
async function look(about: AboutTask, task: OpenTask): Promise<Looked> {
  const { answers } = task;
  let sent = task;
  if (Object.keys(answers).length > 0) {
    await updateTask(about, task, answers);
    sent = { ...task, requests: {}, answers: {}, sent: [...task.sent, ...Object.keys(answers)] };
  }
  const seen = await getTask(about, sent);
  if (seen.wire === "v2") return { sent, seen, result: seen.result };
  if (seen.status === "completed") return { sent, seen, result: await resultOfV1(about, sent, false) };
  // A failed task may still have a result, and a task that asks may end before it is asked for its result.
  const hasResult = seen.status === "failed" || seen.status === "input_required";
  const isAsking = seen.status === "input_required";
  const result = hasResult ? await resultOfV1(about, sent, isAsking).catch(() => undefined) : undefined;
  return { sent, seen, result };
}

function aboutTask<Deps>({ options, connection, context: { signal } }: TaskCall<Deps>): AboutTask {
  const { name, timeoutMs = TIMEOUT_MS } = options;
  // Several requests fit into the time limit of a call, which core watches.
  return { server: name, connection, signal, timeoutMs: timeoutMs * 0.4 };
}

/** Whether a request of the current round has no answer yet. */
function hasQuestion({ requests, answers }: OpenTask): boolean {
  return Object.keys(requests).some((key) => !Object.hasOwn(answers, key));
}

/** Returns the result of a task that is over; `undefined` if it is not. @throws McpFailure */
async function outcomeOf(
  server: string,
  { status, wire, error, message }: SeenTask,
  result: Json | undefined,
): Promise<CallToolResult | undefined> {
  if (status === "cancelled") throw failed(`"${server}" has cancelled the task of this call. ${message}`);
  if (status === "completed") return await checkedResult(server, result);
  if (status === "failed" && (wire === "v2" || result === undefined))
    throw failed(`"${server}": ${error || message || "The task has failed."}`);
  if (result === undefined || wire === "v2") return undefined;
  const checked = await checkedResult(server, result);
  return status === "failed" ? { ...checked, isError: true } : checked;
}

/** Asks the user what the task asks, or waits. @throws McpFailure if its time is over */
async function later<Deps>(call: TaskCall<Deps>, task: OpenTask, seen: SeenTask): Promise<CallToolResult> {
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
async function afterFailure<Deps>(
  call: TaskCall<Deps>,
  task: OpenTask,
  error: McpFailure,
): Promise<CallToolResult> {
  const { name, now = Date.now } = call.options;
  // The session in which an older server had the task is over.
  const isGone = task.wire === "v1" && error.isStale && error.code === "mcp_refused";
  if (isPassing(error) && !isGone) {
    if (now() < task.until) return await park(call, { ...task, failures: task.failures + 1 });
    throw mayRun(name, "its time is over, and the server cannot be asked.");
  }
  if (error.rpcCode !== undefined || isGone)
    throw mayRun(name, `the server does not know its task any more: ${error.message}`);
  const isRefused = error.code === "mcp_unauthorized";
  const message = `${error.message} The task of this call may still be running.`;
  if (!isRefused) throw error;
  const refused = new McpFailure("mcp_unauthorized", "unknown", message);
  refused.wants = error.wants;
  throw refused;
}

async function askUser<Deps>({ options, tool, context }: TaskCall<Deps>, task: OpenTask): Promise<never> {
  const { requests, answers } = task;
  checkRound(options.name, requests);
  const asking = Object.keys(requests).find((key) => !Object.hasOwn(answers, key)) as string;
  const question = questionFor(options.name, tool, own(requests, asking));
  return context.ask({ ...question, state: await storedTask(options, context, { ...task, asking }) });
}

/** Lets go of the call. At its time, any process continues it with what is stored here. */
async function park<Deps>(call: TaskCall<Deps>, task: OpenTask): Promise<CallToolResult> {
  const { options, context } = call;
  const now = (options.now ?? Date.now)();
  const afterMs = Math.max(nextPoll(task, now) - now, 0);
  if (isOutside(context)) {
    await pause(afterMs, context.signal);
    return await continueTask(call, task);
  }
  return context.wait({ afterMs, state: await storedTask(options, context, { ...task, asking: null }) });
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
