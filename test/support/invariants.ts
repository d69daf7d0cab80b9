import assert from "node:assert/strict";
import type { ContentBlock, StoredEvent, StoredOf } from "@pawl/core";

/** The part of a request that the invariants check, as the simulator saw it. */
export interface SeenRequest {
  system?: unknown;
  tools?: unknown;
  messages: readonly { role: string; content: string | readonly ContentBlock[] }[];
}

/** Returns a request as one list. A request extends another one if its list begins with the other list. */
export function flatten(request: SeenRequest): string[] {
  const blocks = request.messages.flatMap(({ role, content }) =>
    (typeof content === "string" ? [{ type: "text", text: content }] : content).map(
      (block) => `${role} ${withoutMarks(block)}`,
    ),
  );
  return [withoutMarks(request.system ?? []), withoutMarks(request.tools ?? []), ...blocks];
}

function withoutMarks(value: unknown): string {
  return JSON.stringify(value, (key, part: unknown) => (key === "cache_control" ? undefined : part));
}

/** Asserts that every request extends the one before it, for one session within one prefix. */
export function assertExtends(requests: readonly SeenRequest[]): void {
  let previous: string[] = [];
  for (const [n, request] of requests.entries()) {
    const blocks = flatten(request);
    const at = previous.findIndex((block, index) => block !== blocks[index]);
    assert.equal(
      at,
      -1,
      `request ${n} changes block ${at} of the request before it:\n${previous[at]}\n${blocks[at]}`,
    );
    previous = blocks;
  }
}

/**
 * Asserts the invariants of every log: no gaps, one result per call, one end per run, every call answered
 * unless its run is still open, and no acknowledged event lost or changed.
 */
export function assertSoundLog(
  log: readonly StoredEvent[],
  acknowledged: readonly StoredEvent[] = [],
  copiedTo = 0,
): void {
  assert.deepEqual(
    log.map((event) => event.seq),
    log.map((_, index) => index + 1),
    "sequence has gaps",
  );
  for (const event of acknowledged)
    assert.deepEqual(log[event.seq - 1], event, "an acknowledged event is lost");
  assert.ok(!JSON.stringify(log).includes("tok_4f2c9a7e1b8d6053"), "the log has a credential");
  const keys = log.flatMap((event) => (event.key === undefined ? [] : [event.key]));
  assert.equal(new Set(keys).size, keys.length, "a key stands twice");
  const calls = ofType(log, "tool_call").map((event) => event.data.call_id);
  const results = ofType(log, "tool_result").map((event) => event.data.call_id);
  assert.equal(new Set(results).size, results.length, "a result stands twice");
  for (const result of results) assert.ok(calls.includes(result), `a result without a call: ${result}`);
  assertStartedFirst(log);
  assertAnsweredFirst(log);
  assertRetries(log);
  assertHandedOver(log);
  const lastRun = log.findLast((event) => event.type === "run_started" || event.type === "run_ended");
  if (lastRun?.type !== "run_ended") return;
  for (const call of calls) assert.ok(results.includes(call), `the run has ended and ${call} has no result`);
  assert.equal(ofType(log, "run_started").length, ofType(log, "run_ended").length, "a run did not end");
  assertMessagesRead(log, copiedTo);
}

/** Returns the fields of an event that checks of order compare. */
function brief({ seq, type, data }: StoredEvent): unknown[] {
  const { run_id, prompt, next, queued, interrupt } = data as { [field: string]: unknown };
  return [
    seq,
    type,
    { run_id, upto: (prompt as { upto_seq?: number } | undefined)?.upto_seq, next, queued, interrupt },
  ];
}

/**
 * Asserts that `run_ended.next` is the next run, and that no earlier request contained the messages of that
 * run.
 */
function assertHandedOver(log: readonly StoredEvent[]): void {
  for (const { seq, data } of ofType(log, "run_ended")) {
    if (data.next === undefined) continue;
    const started = ofType(log, "run_started").find((event) => event.seq > seq);
    assert.equal(started?.data.run_id, data.next.run_id, `the end ${seq} begins no run`);
    for (const message of data.next.messages) {
      assert.ok(log[message - 1]?.type === "user_message", `${message} is no message`);
      assert.ok(!isRead(log.slice(0, seq), message), `${message} had been read when a run began for it`);
    }
  }
}

function isRead(log: readonly StoredEvent[], message: number): boolean {
  return ofType(log, "llm_request").some(({ data }) => data.prompt.upto_seq >= message);
}

/**
 * Asserts that the model read every message. Exceptions: the run was stopped, or ended before its first
 * request, or is missing from a fork. A message that arrived without an open run is read by the next run.
 */
function assertMessagesRead(log: readonly StoredEvent[], copiedTo: number): void {
  for (const { seq } of ofType(log, "user_message")) {
    if (seq <= copiedTo || isRead(log, seq)) continue;
    const before = log.findLast((event) => event.seq < seq && RUN_BOUNDARIES.includes(event.type));
    if (before?.type !== "run_started") continue;
    let runId = ofType(log, "run_started").findLast((event) => event.seq < seq)?.data.run_id;
    for (const { data } of ofType(log, "run_ended")) {
      if (data.run_id === runId && data.next?.messages.includes(seq)) runId = data.next.run_id;
    }
    const end = ofType(log, "run_ended").find(({ data }) => data.run_id === runId);
    const stop = end?.data.stop.type ?? "nothing";
    const start = ofType(log, "run_started").find(({ data }) => data.run_id === runId)?.seq ?? 0;
    const hasAsked = log.slice(start, end?.seq).some(({ type }) => type === "llm_request");
    // A hook may have given the stop another reason.
    const wasStopped = ofType(log, "stop_requested").some(
      ({ data }) => data.run_id === runId && data.interrupt !== true,
    );
    assert.ok(
      stop === "aborted" || wasStopped || !hasAsked,
      `nobody has read ${seq}, its run has ended as ${stop}: ${JSON.stringify(log.map(brief))}`,
    );
  }
}

const RUN_BOUNDARIES: readonly string[] = ["run_started", "run_ended"];

/**
 * Asserts that a retry repeats the prompt of the failed attempt without its text. Each request must be the
 * first of its turn, or name the attempt that it retries.
 */
function assertRetries(log: readonly StoredEvent[]): void {
  let asked: number | undefined;
  for (const event of log) {
    if (event.type === "assistant_message" || event.type === "run_ended") asked = undefined;
    if (event.type !== "llm_request") continue;
    const { retry_of, again } = event.data;
    if (retry_of === undefined) assert.equal(again, asked, `${event.seq} is asked again, or is not`);
    asked = event.seq;
  }
  for (const { data } of ofType(log, "llm_request")) {
    if (data.retry_of === undefined) continue;
    const failed = log[data.retry_of - 1];
    assert.ok(failed?.type === "llm_request", `${data.retry_of} is no request`);
    const { prompt, params, turn } = failed.data;
    assert.deepEqual({ prompt, params, turn }, { prompt: data.prompt, params: data.params, turn: data.turn });
    const answered = ofType(log, "assistant_message").some((event) => event.data.attempt === data.retry_of);
    assert.ok(!answered, `${data.retry_of} was made again and has an answer`);
  }
}

/** Asserts intent before effect: the result of a tool comes after the `tool_started` of its call. */
function assertStartedFirst(log: readonly StoredEvent[]): void {
  const begun = new Set<string>();
  for (const event of log) {
    if (event.type === "tool_started") begun.add(event.data.call_id);
    if (event.type === "tool_result" && event.durationMs !== undefined) {
      assert.ok(begun.has(event.data.call_id), `${event.data.call_id} ran before it was logged`);
    }
  }
}

/** Asserts that each question of a call is answered or closed before the next one, and before the result. */
function assertAnsweredFirst(log: readonly StoredEvent[]): void {
  const open = new Set<string>();
  for (const event of log) {
    if (event.type === "tool_answered") {
      const { call_id, closed, closed_by } = event.data;
      assert.equal(closed === undefined, closed_by === undefined, `what has closed ${call_id}?`);
      open.delete(call_id);
    }
    if (event.type !== "tool_suspended" && event.type !== "tool_result") continue;
    assert.ok(!open.has(event.data.call_id), `a question of ${event.data.call_id} is open at ${event.seq}`);
    if (event.type === "tool_suspended") open.add(event.data.call_id);
  }
}

export function ofType<T extends StoredEvent["type"]>(
  log: readonly StoredEvent[],
  type: T,
): Extract<StoredEvent, { type: T }>[] {
  return log.filter((event): event is Extract<StoredEvent, { type: T }> => event.type === type);
}

/** Returns the stop reasons of a log's runs, in order. */
export function stops(log: readonly StoredEvent[]): string[] {
  return ofType(log, "run_ended").map((event: StoredOf<"run_ended">) => event.data.stop.type);
}
