import type { Json, JsonObject, ToolContext } from "@pawl/core";
import { backoff } from "@pawl/core/model";
import { McpFailure } from "../base/failure.ts";
import { isObject, objectIn } from "../base/json.ts";
import type { ServerTask, TaskWire } from "../base/task-wire.ts";
import type { McpServerOptions } from "../connect/options.ts";
import type { ListedTool } from "./fingerprint.ts";
import { sealOf } from "./seal.ts";
import { steppedUp } from "./stepped-up.ts";

/** The default of `taskTimeoutMs`: a day. */
const TASK_TIMEOUT_MS = 86_400_000;

/** The longest pause between two polls of a task that has been running for long, in milliseconds. */
const MOST_PAUSE_MS = 60_000;

/** Bounds for the interval that a server asks for, and the default, in milliseconds. */
const LEAST_POLL_MS = 250;
const MOST_POLL_MS = 3_600_000;
const POLL_MS = 1_000;

/** A call that became a task, and how far it has come. */
export interface OpenTask {
  id: string;
  wire: TaskWire;
  /** The session of an older server in which the task is, over HTTP. */
  session: string | undefined;
  /** When the call became a task, and when it is given up, in milliseconds since 1970. */
  since: number;
  until: number;
  pollMs: number;
  /** The rounds of questions so far. */
  round: number;
  /** The requests of the current round, by their keys; empty without questions. */
  requests: JsonObject;
  /** The user's answers of this round. They have not reached the server. */
  answers: JsonObject;
  /** The key of the request that the user is being asked; `null` if the call waits for a time. */
  asking: string | null;
  /** The keys of requests whose answers have reached the server. */
  sent: string[];
  /** How often in a row the server could not be asked. */
  failures: number;
}

/** What is stored of an open task while its call waits. `id` is sealed if `isSealed`. */
export interface TaskState extends JsonObject {
  task: JsonObject & { id: string; wire: TaskWire; session: string | null; isSealed: boolean };
}

/** Returns the state of a call that has just become a task. */
export function openTask<Deps>(
  options: McpServerOptions<Deps>,
  { id, wire, session, ...task }: ServerTask,
): OpenTask {
  const since = (options.now ?? Date.now)();
  const open = { id, wire, session, since, until: since, pollMs: POLL_MS };
  const asked = { round: 0, requests: {}, answers: {}, asking: null, sent: [], failures: 0 };
  return { ...open, ...asked, ...timesOf(options, since, task) };
}

/** Returns the times of a task: a server may change them while it runs. */
export function timesOf<Deps>(
  { taskTimeoutMs = TASK_TIMEOUT_MS, command, idleMs = 300_000 }: McpServerOptions<Deps>,
  since: number,
  { ttlMs, pollMs = POLL_MS }: Pick<ServerTask, "ttlMs" | "pollMs">,
): Pick<OpenTask, "until" | "pollMs"> {
  // The task of a program ends with the program, so its connection must not become idle.
  const most = command === undefined ? MOST_POLL_MS : Math.min(MOST_POLL_MS, idleMs / 2);
  return {
    until: since + Math.min(ttlMs ?? taskTimeoutMs, taskTimeoutMs),
    pollMs: Math.min(Math.max(pollMs, LEAST_POLL_MS), most),
  };
}

/**
 * Returns when to ask about a task again: after the server's interval, or later if the task has been running
 * for long or the server cannot be reached.
 */
export function nextPoll(
  { since, until, pollMs, failures }: OpenTask,
  now: number,
  random: () => number = Math.random,
): number {
  const byAge = Math.min((now - since) / 8, MOST_PAUSE_MS);
  const pauses = { baseMs: 2 * POLL_MS, maxMs: MOST_PAUSE_MS, random };
  const byFailures = failures === 0 ? 0 : backoff(failures, pauses);
  return Math.round(
    Math.min(now + Math.max(pollMs, byAge, byFailures), Math.max(until, now + LEAST_POLL_MS)),
  );
}

/** Returns what is stored of an open task. */
export async function storedTask<Deps>(
  { stateKey }: McpServerOptions<Deps>,
  context: ToolContext<Deps>,
  { id, wire, session, since, until, pollMs, ...rest }: OpenTask,
): Promise<TaskState> {
  const isSealed = stateKey !== undefined;
  const seal = async (text: string): Promise<string> =>
    isSealed ? await sealOf(stateKey, context.idempotencyKey).close(text) : text;
  const kept = { id: await seal(id), session: session === undefined ? null : await seal(session) };
  return { task: { ...kept, isSealed, wire, since, until, pollMs }, ...rest, ...steppedUp(context) };
}

/** Whether the stored state of a question is that of a task. */
export function isTaskState(state: Json | undefined): state is TaskState {
  return isObject(state) && typeof objectIn(state.task).id === "string";
}

/** Returns the task that was stored; with the user's answer, if the call has asked. @throws McpFailure */
export async function taskBefore<Deps>(
  options: McpServerOptions<Deps>,
  { answered, idempotencyKey }: Pick<ToolContext<Deps>, "answered" | "idempotencyKey">,
): Promise<OpenTask | undefined> {
  const state = answered?.state;
  if (answered === undefined || !isTaskState(state)) return undefined;
  const { task, ...rest } = state;
  const { isSealed: _, ...times } = task;
  const open = { ...rest, ...times, ...(await opened(options, idempotencyKey, task)) } as unknown as OpenTask;
  // The user may have signed in meanwhile (`true`), or the time is over (`null`).
  if (open.asking === null || !isObject(answered.value)) return open;
  return { ...open, answers: { ...open.answers, [open.asking]: answered.value }, asking: null };
}

/** Returns how a stored task is found at its server. @throws McpFailure if it was sealed with another key */
export async function opened<Deps>(
  { name, stateKey }: Pick<McpServerOptions<Deps>, "name" | "stateKey">,
  idempotencyKey: string,
  { id, session, wire, isSealed }: TaskState["task"],
): Promise<Pick<OpenTask, "id" | "wire" | "session">> {
  const open = async (text: string): Promise<string> => {
    if (!isSealed) return text;
    const plain = stateKey && (await sealOf(stateKey, idempotencyKey).open(text));
    if (plain) return plain;
    const message = `The task of this call at "${name}" cannot be read any more, because \`stateKey\` has changed. It may still be running.`;
    throw new McpFailure("mcp_outcome_unknown", "unknown", message);
  };
  return { id: await open(id), wire, session: session === null ? undefined : await open(session) };
}

/**
 * Returns what to send in `task` so that a call becomes a task at an older server; `undefined` if it should
 * not. The tasks of a program end with it, so there only a tool that requires a task gets one.
 */
export function taskParams<Deps>(
  { tasks = true, taskTimeoutMs = TASK_TIMEOUT_MS, command }: McpServerOptions<Deps>,
  { execution }: ListedTool,
): JsonObject | undefined {
  const support = execution?.taskSupport;
  const isWanted = support === "required" || (support === "optional" && command === undefined);
  return tasks && isWanted ? { ttl: taskTimeoutMs } : undefined;
}
