import type { StoredEvent, StoredOf } from "@pawl/core";
import { isOutcomeUnknown } from "@pawl/core/tools";

/** A span that a log demands, and how the log says that its work failed. */
export interface Expected {
  readonly name: string;
  /** The call, the run, or a request's turn. */
  readonly of: string;
  /** Why the run has ended, if it has. */
  readonly stop?: string;
  readonly failed?: string;
}

/** The stop reasons of users: what they stop has not failed. */
const BY_USER = ["aborted", "interrupted"];

/** The spans of a session, by its log alone. */
export function expectedSpans(log: readonly StoredEvent[]): Expected[] {
  return [...runs(log), ...requests(log), ...calls(log)];
}

/** Each part of a run that a process has worked on. */
function runs(log: readonly StoredEvent[]): Expected[] {
  const spans: Expected[] = [];
  let run = { id: "", agent: "" };
  let isOpen = false;
  for (const { type, data } of log) {
    if (type === "run_started") run = { id: data.run_id, agent: data.agent };
    if (["run_started", "llm_request", "tool_started"].includes(type)) isOpen = true;
    if (type !== "run_ended" && type !== "run_suspended") continue;
    const span = { name: `invoke_agent ${run.agent}`, of: run.id };
    if (isOpen) spans.push({ ...span, ...(type === "run_ended" && endOf(data)) });
    isOpen = false;
  }
  return spans;
}

function endOf({ stop, session_status }: StoredOf<"run_ended">["data"]): Partial<Expected> {
  return { stop: stop.type, ...(session_status === "error" && { failed: stop.type }) };
}

function requests(log: readonly StoredEvent[]): Expected[] {
  return log
    .filter((event) => event.type === "llm_request")
    .map((event) => {
      const failed = whyCut(log, event);
      return { name: `chat ${event.data.model}`, of: `${event.data.turn}`, ...(failed && { failed }) };
    });
}

/** Why a request has failed. */
function whyCut(log: readonly StoredEvent[], { seq }: StoredOf<"llm_request">): string | undefined {
  const later = log.slice(seq);
  const end = later.findIndex(({ type }) => ["llm_request", "run_suspended", "run_ended"].includes(type));
  const during = later.slice(0, end + 1);
  const isError = ({ type, data }: StoredEvent) =>
    type === "error" &&
    data.code === "model_error" &&
    [seq, undefined].includes(Object(data.context).attempt);
  if (during.some(isError)) return "model_error";
  // A hook may have refused the whole answer.
  const isAnswer = ({ type, data }: StoredEvent) =>
    (type === "assistant_message" && data.stop_reason !== null) ||
    (type === "llm_response" && data.attempt === seq && data.raw_response.stop_reason !== null);
  if (during.some(isAnswer)) return undefined;
  const last = during.at(-1);
  if (last?.type !== "run_ended") return "aborted";
  if (BY_USER.includes(last.data.stop.type)) return undefined;
  // A hook has refused the answer, and the run has not failed.
  return last.data.session_status === "error" ? last.data.stop.type : "aborted";
}

/** Each time that a call has begun to run. */
function calls(log: readonly StoredEvent[]): Expected[] {
  return log
    .filter((event) => event.type === "tool_started")
    .map((event) => {
      const failed = failureOf(log, event);
      return {
        name: `execute_tool ${event.data.tool_name}`,
        of: event.data.call_id,
        ...(failed && { failed }),
      };
    });
}

function failureOf(log: readonly StoredEvent[], started: StoredOf<"tool_started">): string | undefined {
  const { call_id } = started.data;
  const isItsEnd = ({ type, data }: StoredEvent) =>
    type === "run_ended" ||
    ((type === "tool_result" || type === "tool_suspended") && data.call_id === call_id);
  const end = log.slice(started.seq).find(isItsEnd);
  const over = log.slice(started.seq).find(({ type }) => type === "run_ended");
  if (end?.type !== "tool_result" || end.data.success) return undefined;
  const isStopped = over?.type === "run_ended" && BY_USER.includes(over.data.stop.type);
  if (isOutcomeUnknown(end.data.result) && isStopped) return undefined;
  return end.data.report?.code ?? "tool_error";
}
