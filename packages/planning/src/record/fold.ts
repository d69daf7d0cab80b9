import { PawlError, type StoredEvent, type StoredOf } from "@pawl/core";
import { hiddenBy, kindOf } from "@pawl/core/tools";
import { callChange } from "./calls.ts";
import {
  type ClarificationEvent,
  type DocsEvent,
  EVENTS,
  type FailedEvent,
  type PlanEvent,
  type ReviewEvent,
  type StoppedEvent,
} from "./events.ts";
import { type Clarification, newRecord, type RunRecord } from "./record.ts";
import { NO_PLAN, redacted } from "./redacted.ts";
import { isRecordTag, RETRIEVED, TAGS } from "./tags.ts";

/**
 * Folds a session's events into the record of its last run. With the events up to some `seq`, it returns the
 * record as it was then.
 *
 * @throws PawlError `config` for what is not a list, e.g. a promise or the result of `store.read()`.
 *
 * @example
 * ```ts
 * import { agent, memoryStore, runtime } from "@pawl/core";
 * import { recordOf } from "@pawl/planning";
 * import { scriptedModel } from "@pawl/testing";
 *
 * const store = memoryStore();
 * const model = scriptedModel([{ text: "Hello." }]);
 * const pawl = runtime({ agents: [agent({ name: "a", model, instructions: "Be kind." })], store });
 * const { sessionId } = await pawl.run("a", { userId: "ada", input: "Hi" }).result;
 * const record = recordOf(await Array.fromAsync(store.read(sessionId)));
 * console.log(record.messages[0]?.text, record.stop?.type); // Hi end_turn
 * ```
 */
export function recordOf(events: Iterable<StoredEvent>): RunRecord {
  if (typeof Object(events)[Symbol.iterator] !== "function" || typeof events === "string")
    throw new PawlError(
      "config",
      `recordOf() takes a list of events, e.g. await Array.fromAsync(store.read(sessionId)); got ${kindOf(events)}.`,
    );
  let record = newRecord("");
  for (const event of events) record = withEvent(record, event);
  return record;
}

/**
 * Returns the record after one more event of the log. An event that was folded before changes nothing, so a
 * page may fold the stored events and then the live ones. Never changes the given record.
 *
 * @example
 * ```ts
 * import type { StoredEvent } from "@pawl/core";
 * import { newRecord, withEvent } from "@pawl/planning";
 *
 * const at = "2026-11-23T09:00:00.000Z";
 * const message: StoredEvent = {
 *   ...{ sessionId: "s1", seq: 1, v: 1, at, type: "user_message" },
 *   data: { message: "What does Alex say?" },
 * };
 * console.log(withEvent(newRecord("s1"), message).messages.length); // 1
 * ```
 */
export function withEvent(record: RunRecord, event: StoredEvent): RunRecord {
  if (event.seq <= record.lastSeq) return record;
  const changes = changesBy(record, event);
  return { ...record, sessionId: event.sessionId, ...changes, lastSeq: event.seq };
}

function changesBy(record: RunRecord, event: StoredEvent): Partial<RunRecord> {
  switch (event.type) {
    case "run_started":
      return begun(record, event);
    case "user_message": {
      const message = { text: event.data.message, at: event.at, seq: event.seq };
      return { messages: [...record.messages, message] };
    }
    case "prefix":
      return { tools: event.data.tools.map(({ name, description = "" }) => ({ name, description })) };
    case "llm_request":
      return { coveredSeq: Math.max(record.coveredSeq, event.data.prompt.upto_seq) };
    case "checkpoint": {
      const hidden = hiddenBy(event.data);
      if (hidden.length > 0) return { messages: record.messages.filter(({ seq }) => !hidden.includes(seq)) };
      if (event.data.reason === "drop_old_results") return {};
      return { notes: record.notes.filter(({ seq }) => seq >= event.data.from_seq) };
    }
    case "note": {
      const { tag = "", text } = event.data;
      if (!isRecordTag(tag)) return {};
      return { notes: [...record.notes, { tag, text, seq: event.seq }] };
    }
    case "knowledge":
      if (event.data.source !== RETRIEVED) return {};
      return { retrieved: event.data.data, seqs: { ...record.seqs, retrieved: event.seq } };
    case "redaction":
      return redacted(record, event.data);
    case "run_ended":
      return event.data.run_id === record.runId ? { stop: event.data.stop } : {};
    case "tool_call":
    case "tool_started":
    case "tool_suspended":
    case "tool_result":
      return callChange(record, event);
    default:
      return planningChange(record, event);
  }
}

/** A run began. A retry continues the record of the run that it retries. */
function begun(record: RunRecord, { seq, data }: StoredOf<"run_started">): Partial<RunRecord> {
  const { run_id: runId, agent, caller = record.caller, retry_of } = data;
  if (retry_of !== undefined && retry_of === record.runId)
    return { runId, agent, caller, stop: undefined, stopped: undefined };
  const { sessionId, tools, coveredSeq } = record;
  // The model can still read the other notes, but later runs do not compare their texts with them.
  const lastPlan = record.notes.findLast(({ tag }) => tag === TAGS.plan);
  const notes = record.notes.filter((note) => note.tag === TAGS.docs || note === lastPlan);
  const resolved = record.clarifications.filter(({ status }) => status === "resolved");
  return {
    ...newRecord(sessionId),
    ...{ runId, seq, agent, caller, tools, notes, coveredSeq },
    messages: record.messages.filter((message) => message.seq > coveredSeq),
    earlierClarifications: [...record.earlierClarifications, ...resolved],
  };
}

function planningChange(record: RunRecord, { type, data, seq }: StoredEvent): Partial<RunRecord> {
  const { run_id, ...rest } = Object(data) as { run_id?: string };
  // The event was redacted, so it has no data.
  if (run_id === undefined && type === EVENTS.plan) return NO_PLAN;
  if (run_id !== record.runId) return {};
  switch (type as string) {
    case EVENTS.plan:
      return planChange(record, data as unknown as PlanEvent, seq);
    case EVENTS.clarification: {
      const said = { ...(rest as Omit<ClarificationEvent, "run_id">), status: "answered" as const, seq };
      return { clarifications: [...record.clarifications, said] };
    }
    case EVENTS.review:
      return { reviews: [...record.reviews, { ...(rest as Omit<ReviewEvent, "run_id">), seq }] };
    case EVENTS.docs:
      return { docs: rest as Omit<DocsEvent, "run_id">, seqs: { ...record.seqs, docs: seq } };
    case EVENTS.failed:
      return { failures: [...record.failures, rest as Omit<FailedEvent, "run_id">] };
    case EVENTS.stopped:
      return { stopped: rest as Omit<StoppedEvent, "run_id">, seqs: { ...record.seqs, stopped: seq } };
    default:
      return {};
  }
}

function planChange(record: RunRecord, { by, plan }: PlanEvent, seq: number): Partial<RunRecord> {
  const asks = plan.status === "needs_clarification";
  const open = record.clarifications.filter(({ status }) => status === "answered");
  // If an only choice was the answer, the user was not asked, so it is not a strike.
  const wasAsked = open.some(({ call_id }) => call_id !== undefined);
  const settled = (one: Clarification): Clarification =>
    one.status === "answered" ? { ...one, status: asks ? "unclear" : "resolved" } : one;
  return {
    plan,
    planned: { by, seq, count: (record.planned?.count ?? 0) + 1 },
    clarifications: record.clarifications.map(settled),
    strikes: asks ? record.strikes + (wasAsked ? 1 : 0) : 0,
    ambiguityResolved: plan.status === "ok",
  };
}
