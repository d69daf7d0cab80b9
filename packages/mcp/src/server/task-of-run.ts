import {
  type Json,
  type JsonObject,
  type Question,
  type Runtime,
  readShown,
  type StoredEvent,
  textOf,
} from "@pawl/core";
import { formOf } from "./form.ts";

/** A run that is a task of a client. `messageSeq` is its message, which a later run may pick up. */
export interface RunTask {
  session: string;
  run: string;
  messageSeq: number | undefined;
}

/** How long a client should wait before it asks again, in milliseconds. */
const POLL_MS = 1_000;

/** Returns the id of a task. It contains all that is needed to find the task, but grants no access to it. */
export function taskIdOf({ session, run, messageSeq }: RunTask): string {
  const bytes = new TextEncoder().encode(JSON.stringify([session, run, messageSeq ?? null]));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}

/** Reads the id of a task; `undefined` if it is not one. */
export function readTaskId(id: unknown): RunTask | undefined {
  try {
    const text = atob(String(id).replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(text, (char) => char.charCodeAt(0));
    const [session, run, seq] = JSON.parse(new TextDecoder().decode(bytes)) as Json[];
    if (typeof session !== "string" || typeof run !== "string") return undefined;
    return { session, run, messageSeq: typeof seq === "number" ? seq : undefined };
  } catch {
    return undefined;
  }
}

/** How a run ended. */
export interface EndOf {
  stop: { type: string; message: string };
  isFailed: boolean;
  text: string;
  /** The run's output, for an agent with an `output`. */
  output?: Json;
}

/** What has become of a run. */
interface Found {
  createdAt: string;
  updatedAt: string;
  end: EndOf | undefined;
}

/** Finds a run in one of the places in which this process reads sessions for clients. */
async function withinRead(
  runtime: Runtime,
  task: RunTask,
  { userId, signal }: TaskAsker,
): Promise<Found | undefined> {
  const place = await runtime.enterRead({ userId, sessionId: task.session, isPart: true, signal });
  try {
    return await find(runtime, task);
  } finally {
    place.leave();
  }
}

/** Reads what has become of a run, of which a later run may have picked up the message. */
async function find(runtime: Runtime, { session, run, messageSeq }: RunTask): Promise<Found | undefined> {
  let current = run;
  let open = false;
  let found: Found | undefined;
  let texts: string[] = [];
  let output: Json | undefined;
  const types = ["run_started", "assistant_message", "output", "run_ended", ...WAITS] as const;
  for await (const event of readShown(runtime.store, session, { types })) {
    if (event.type === "run_started" && event.data.run_id === current) {
      open = true;
      texts = [];
      found ??= { createdAt: event.at, updatedAt: event.at, end: undefined };
    }
    if (!open || found === undefined) continue;
    found.updatedAt = event.at;
    if (event.type === "assistant_message") {
      texts.push(...textsIn(event));
      output = undefined;
    }
    if (event.type === "output") output = event.data.value;
    if (event.type !== "run_ended" || event.data.run_id !== current) continue;
    open = false;
    const { next, stop, session_status } = event.data;
    const isFailed = session_status === "error";
    found.end = { stop, isFailed, text: texts.join("\n\n"), ...(output !== undefined && { output }) };
    if (messageSeq === undefined || !next?.messages.includes(messageSeq)) return found;
    current = next.run_id;
    found.end = undefined;
  }
  return found;
}

const WAITS = ["run_suspended", "tool_answered"] as const;

function textsIn({ data }: Extract<StoredEvent, { type: "assistant_message" }>): string[] {
  const text = data.output === "text" ? "" : textOf(data.content).trim();
  return text === "" ? [] : [text];
}

/** The program that asks about a task. `signal` aborts when the request does. */
export interface TaskAsker {
  userId: string;
  signal: AbortSignal;
}

/**
 * Returns the task of a run as clients get it; `undefined` if the session has no such run. `resultOf` makes
 * the result of a run that has ended.
 *
 * @throws PawlError `not_found` if the session is not the user's, `overloaded` if this process reads too many
 * sessions
 */
export async function describeTask(
  runtime: Runtime,
  task: RunTask,
  asker: TaskAsker,
  resultOf: (end: EndOf) => JsonObject,
): Promise<JsonObject | undefined> {
  const { pending } = await runtime.view(task.session, { userId: asker.userId });
  const found = await withinRead(runtime, task, asker);
  if (found === undefined) return undefined;
  const { createdAt, updatedAt: lastUpdatedAt, end } = found;
  const times = timesOf(task, createdAt, lastUpdatedAt);
  if (end === undefined && pending.length === 0) return { ...times, status: "working" };
  if (end === undefined) return { ...times, status: "input_required", inputRequests: requestsFor(pending) };
  if (end.stop.type === "aborted") return { ...times, status: "cancelled", statusMessage: end.stop.message };
  // Clients read it like the answer of a call, so it has the type of one.
  return { ...times, status: "completed", result: { resultType: "complete", ...resultOf(end) } };
}

/** Returns the task of a run that has just begun, out of its session's row. No events are read. */
export async function newTask(runtime: Runtime, task: RunTask): Promise<JsonObject> {
  const { createdAt = "", updatedAt = createdAt } = (await runtime.store.sessions.get(task.session)) ?? {};
  return { ...timesOf(task, updatedAt, updatedAt), status: "working" };
}

function timesOf(task: RunTask, createdAt: string, lastUpdatedAt: string): JsonObject {
  return { taskId: taskIdOf(task), createdAt, lastUpdatedAt, ttlMs: null, pollIntervalMs: POLL_MS };
}

/** The key of a question in a task's requests. A question has it for ever. */
export function keyOf({ seq }: Question): string {
  return `q${seq}`;
}

function requestsFor(pending: readonly Question[]): JsonObject {
  const requests = pending.map((question): [string, JsonObject] => {
    const { message, schema } = formOf(question);
    const params = { mode: "form", message, requestedSchema: schema };
    return [keyOf(question), { method: "elicitation/create", params }];
  });
  return Object.fromEntries(requests);
}
