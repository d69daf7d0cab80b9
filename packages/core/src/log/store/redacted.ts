import type { Json, JsonObject } from "../../base/json.ts";
import { givingWay } from "../../base/next-turn.ts";
import { type ContentBlock, isText, isToolUse } from "../../model/content.ts";
import type { Consent } from "../consent.ts";
import { type ByType, callByType, type ReadOptions, type StoredEvent } from "../event.ts";
import type { EventData } from "../event-data.ts";
import type { StopReason } from "../stop-reason.ts";
import type { EventStore } from "./event-store.ts";

/** The text that is shown in place of redacted content. */
export const REDACTED = "[redacted]";

/**
 * Returns the event without its content; its type, call, number and time stay. The data of an extension's
 * event become `{}`, because core does not know what its fields mean.
 */
export function redactedEvent(event: StoredEvent): StoredEvent {
  if (isExtension(event)) return { ...event, data: {} } as StoredEvent;
  return { ...event, data: { ...(event.data as object), ...redactedFields(event) } } as StoredEvent;
}

/**
 * Returns an answer without its content. Whether the user has approved stays: it says what happened to the
 * call, and pages would show the opposite.
 */
export function redactedAnswer(value: Json | undefined): Json {
  const { approved } = Object(value);
  return typeof approved === "boolean" ? { approved } : REDACTED;
}

/** Returns whether the event has content that can be redacted. */
export function isRedactable(event: StoredEvent): boolean {
  return isExtension(event) || Object.keys(redactedFields(event) ?? {}).length > 0;
}

/** Returns whether the event was defined outside of core. */
export function isExtension({ type }: StoredEvent): boolean {
  return type.includes(".");
}

/** Returns the fields to redact, with their new values; `undefined` for a type that has no such fields. */
function redactedFields(event: StoredEvent): object | undefined {
  return callByType(REDACTED_FIELDS, event, undefined);
}

/** By event type: a function that returns the fields to redact, with their new values. */
const REDACTED_FIELDS: ByType<object> = {
  user_message: (data) => ({
    message: REDACTED,
    ...withoutParams(data),
    ...(data.files !== undefined && { files: [] }),
    ...(data.client_tools !== undefined && { client_tools: [] }),
  }),
  assistant_message: (data) => {
    const content = redactedBlocks(data.content);
    return { content, complete: content.length };
  },
  tool_result: ({ report, files }) => ({
    result: REDACTED,
    content: REDACTED,
    ...(files !== undefined && { files: [] }),
    ...redactedReport(report),
  }),
  knowledge: (data) => ({ data: REDACTED, ...withoutParams(data) }),
  artifact: () => ({ title: REDACTED, summary: {}, payload: {} }),
  note: () => ({ text: REDACTED }),
  output: ({ value, problem }) => ({
    ...(value !== undefined && { value: REDACTED }),
    ...(problem !== undefined && { problem: REDACTED }),
  }),
  checkpoint: () => ({ summary: REDACTED }),
  // A second block is the user data.
  prefix: ({ system }) => ({ system: system.slice(0, 1) }),
  tool_call: ({ invalid }) => ({ arguments: {}, ...(invalid !== undefined && { invalid: REDACTED }) }),
  tool_started: withoutInput,
  tool_suspended: (data) => ({
    payload: REDACTED,
    ...withoutInput(data),
    ...(data.state !== undefined && { state: null }),
    ...(data.expires !== undefined && { expires: { ...data.expires, default: null } }),
  }),
  spending: ({ answer }) =>
    answer === undefined ? {} : { answer: { text: REDACTED, stop_reason: answer.stop_reason } },
  data_part: () => ({ data: REDACTED }),
  tool_answered: ({ value, error }) => ({
    value: redactedAnswer(value),
    ...(error !== undefined && { error: REDACTED }),
  }),
  // The stop reason's message may be a hook's own text.
  effect_started: withoutMessage,
  run_ended: withoutMessage,
};

/** Empties the `params` of a message or a data source, which often repeat what the user wrote. */
function withoutParams({ params }: { params?: JsonObject }): { params?: JsonObject } {
  return params === undefined ? {} : { params: {} };
}

/** Redacts a tool's report. The connector and the error code stay. */
function redactedReport(
  report: EventData["tool_result"]["report"],
): Pick<EventData["tool_result"], "report"> {
  if (report === undefined) return {};
  const { summary, fragments, sources, ...rest } = report;
  return { report: { ...rest, ...(summary !== undefined && { summary: REDACTED }) } };
}

function withoutMessage({ stop }: { stop: StopReason }): { stop: StopReason } {
  return { stop: { ...stop, message: REDACTED } };
}

/** Empties the input of a call, and the input that the user has seen. */
function withoutInput({ input, about }: { input?: Json; about?: Consent }): {
  input?: Json;
  about?: Consent;
} {
  return {
    ...(input !== undefined && { input: {} }),
    ...(about && { about: {} }),
  };
}

/**
 * Redacts blocks. Calls and results stay, without their content, so that the API still accepts them. All text
 * becomes one block, and other blocks are removed. If no block would remain, there is one of text.
 */
export function redactedBlocks(blocks: readonly ContentBlock[]): ContentBlock[] {
  const pairs = blocks.flatMap((block): ContentBlock[] => {
    if (isToolUse(block)) return [{ ...block, input: {} }];
    return block.type === "tool_result" ? [{ ...block, content: REDACTED }] : [];
  });
  const needsText = pairs.length === 0 || blocks.some(isText);
  return needsText ? [{ type: "text", text: REDACTED }, ...pairs] : pairs;
}

/**
 * Reads a session's events as they may be shown to people: redacted events come without their content.
 * `EventStore.read` returns the content too. Gives way to the event loop after every 500 events.
 *
 * @example
 * ```ts
 * import { memoryStore, readShown } from "@pawl/core";
 *
 * const store = memoryStore();
 * await store.sessions.create({ id: "s1", userId: "u1", agent: "coach" });
 * await store.append("s1", [{ type: "note", data: { text: "hello" } }], { appendId: "a1" });
 * for await (const event of readShown(store, "s1")) console.log(event.seq, event.type);
 * ```
 */
export async function* readShown(
  store: EventStore,
  sessionId: string,
  options: ReadOptions = {},
): AsyncGenerator<StoredEvent, void, undefined> {
  const hidden = await redactedSince(store, sessionId, options.afterSeq ?? 0);
  for await (const event of givingWay(store.read(sessionId, options))) {
    yield hidden.has(event.seq) ? redactedEvent(event) : event;
  }
}

/** Reads the redactions after `afterSeq`, and returns the `seq`s of the events that they hide. */
export async function redactedSince(
  store: EventStore,
  sessionId: string,
  afterSeq: number,
): Promise<ReadonlySet<number>> {
  const hidden = new Set<number>();
  for await (const event of givingWay(store.read(sessionId, { afterSeq, types: ["redaction"] }))) {
    if (event.type === "redaction") hidden.add(event.data.seq);
  }
  return hidden;
}
