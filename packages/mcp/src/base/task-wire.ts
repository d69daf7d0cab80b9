import type { Json, JsonObject } from "@pawl/core";
import { isObject, objectIn, own } from "./json.ts";

/** The id of the extension by which a server of 2026-07-28 answers a call with a task. */
export const TASKS = "io.modelcontextprotocol/tasks";

/** How a task is written: `v1` is a part of 2025-11-25, `v2` is the extension of 2026-07-28. */
export type TaskWire = "v1" | "v2";

/** A task, as its server describes it. */
export interface ServerTask {
  wire: TaskWire;
  id: string;
  status: TaskStatus;
  /** What the server says about its state, for people. */
  message: string;
  /** How long the server keeps the task after it was made, in milliseconds; `null` without an end. */
  ttlMs: number | null;
  /** How long to wait between two questions about it, in milliseconds. */
  pollMs: number | undefined;
  /** The session of an older server in which the task is, over HTTP. */
  session: string | undefined;
}

export type TaskStatus = "working" | "input_required" | "completed" | "failed" | "cancelled";

const STATUSES: readonly Json[] = ["working", "input_required", "completed", "failed", "cancelled"];

/** The longest id of a task, in characters. It is sent in a header, too. */
const MOST_ID_CHARS = 2_000;

const MOST_MESSAGE_CHARS = 500;

/** The place in a result's `_meta` where a task passes the SDK, which knows no tasks. */
const META = "pawl/task";

/**
 * Returns the result of a call that became a task in a form that the SDK accepts; `undefined` if it is an
 * ordinary result. `isV1` says that the call asked for a task, as only the older wire does. `session` is
 * that of the connection.
 */
export function asTaskResult(
  result: Json,
  isV1: boolean,
  session: string | undefined,
): JsonObject | undefined {
  if (!isObject(result)) return undefined;
  const task = isV1 ? own(result, "task") : result.resultType === "task" ? withoutType(result) : undefined;
  if (!isObject(task)) return undefined;
  const _meta = { [META]: { wire: isV1 ? "v1" : "v2", task, session: (isV1 ? session : undefined) ?? null } };
  return { resultType: "complete", content: [], _meta };
}

function withoutType({ resultType: _, ...task }: JsonObject): JsonObject {
  return task;
}

/** Returns the task that a call became; `undefined` if it did not, `null` if the task is not valid. */
export function taskIn(result: unknown): ServerTask | null | undefined {
  const meta = own(objectIn(own(objectIn(result as Json), "_meta")), META);
  if (!isObject(meta)) return undefined;
  const task = readTask(meta.wire === "v1" ? "v1" : "v2", meta.task);
  if (task === undefined) return null;
  return typeof meta.session === "string" ? { ...task, session: meta.session } : task;
}

/** Reads a task as a server sent it. `undefined` if it is not valid. */
export function readTask(wire: TaskWire, given: Json | undefined): ServerTask | undefined {
  const { taskId: id, status, statusMessage, ...times } = objectIn(given);
  if (typeof id !== "string" || !/^[\x21-\x7e]+$/.test(id) || id.length > MOST_ID_CHARS) return undefined;
  if (!STATUSES.includes(status ?? null)) return undefined;
  const ttl = numberIn(wire === "v1" ? times.ttl : times.ttlMs);
  return {
    wire,
    id,
    status: status as TaskStatus,
    message: typeof statusMessage === "string" ? statusMessage.slice(0, MOST_MESSAGE_CHARS) : "",
    ttlMs: ttl ?? null,
    pollMs: numberIn(wire === "v1" ? times.pollInterval : times.pollIntervalMs),
    session: undefined,
  };
}

function numberIn(value: Json | undefined): number | undefined {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined;
}
