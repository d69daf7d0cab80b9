import assert from "node:assert/strict";
import { type Json, type StoredEvent, type Tool, type ToolContext, tool } from "@pawl/core";
import * as z from "zod";
import { ofType } from "./invariants.ts";

/** The parts of `patient` that random runs have reached so far: how often, by what came before them. */
export const waited = new Map<string, number>();

const NOBODY = { text: "nobody" };

/** What the tool does before its result: asks with a limit, or waits. */
const plans = new Map<string, readonly ("ask" | "wait")[]>([
  ["a", ["wait"]],
  ["b", ["ask", "wait"]],
]);
const planFor = (value: string) => plans.get(value) ?? ["wait", "ask", "wait"];

const partOf = (callId: string, part: number): string => `${callId} after ${part} waits`;

/**
 * Makes the tool `patient`, which waits for some milliseconds and asks questions that expire, one after the
 * other. It is not idempotent, so each of its parts runs at most once. `ran` counts them.
 */
export function patient(ran: Map<string, number>): Tool<unknown> {
  return tool({
    name: "patient",
    description: "Waits.",
    input: z.object({ value: z.string() }),
    execute: ({ value }, { callId, answered, ask, wait }: ToolContext) => {
      const seen = answered === undefined ? [] : [...(answered.state as Json[]), answered.value];
      const part = seen.length;
      const name = partOf(callId, part);
      ran.set(name, (ran.get(name) ?? 0) + 1);
      const before = answered === undefined ? "nothing" : answered.expired ? "expiry" : "answer";
      waited.set(before, (waited.get(before) ?? 0) + 1);
      const next = planFor(value)[part];
      if (next === undefined) return seen;
      if (next === "wait") return wait({ afterMs: 1 + 12 * (part % 2), state: seen });
      // Long enough for an answer to come first, now and then.
      const expires = { afterMs: 40, default: NOBODY };
      return ask({
        kind: "patient",
        payload: value,
        answer: z.object({ text: z.string() }),
        state: seen,
        expires,
      });
    },
  });
}

/**
 * Asserts that each part of each `patient` ran once, that it went on with its state and all answers, and that
 * nobody but the time answers a wait. Calls up to `fromSeq` were copied by a fork.
 */
export function assertPatience(
  log: readonly StoredEvent[],
  ran: ReadonlyMap<string, number>,
  fromSeq = 0,
): void {
  for (const { seq, data } of ofType(log, "tool_call")) {
    if (seq <= fromSeq || data.tool_name !== "patient") continue;
    const own = log.filter((event) => (event.data as { call_id?: string }).call_id === data.call_id);
    const asked = ofType(own, "tool_suspended").filter((event) => event.data.by === undefined);
    for (let part = 0; part <= asked.length; part += 1) {
      const times = ran.get(partOf(data.call_id, part)) ?? 0;
      assert.ok(times <= 1, `${part} of ${data.call_id} ran ${times} times`);
      if (part < asked.length) assert.equal(times, 1, `${part} of ${data.call_id} did not run`);
    }
    const [result] = ofType(own, "tool_result");
    if (result?.data.success !== true || result.data.skipped !== undefined) continue;
    if (JSON.stringify(own).includes("[redacted]")) continue;
    const given = asked.map(({ seq: at }) => ofType(own, "tool_answered").find((event) => event.seq > at));
    const answers = given.map((event) => event?.data.value);
    const { checked = result.data.result } = result.data.result as { checked?: Json };
    if (ran.has(partOf(data.call_id, 0))) assert.deepEqual(checked, answers);
  }
}

/**
 * Asserts that a question gets its default only once its time has come, by the store's clock, and that a wait
 * gets no other answer. Events up to `fromSeq` were copied by a fork, all at one time.
 */
export function assertExpiries(log: readonly StoredEvent[], fromSeq = 0): void {
  for (const { seq, at, data } of ofType(log, "tool_answered")) {
    if (seq <= fromSeq) continue;
    const question = ofType(log, "tool_suspended").findLast(
      (event) => event.seq < seq && event.data.call_id === data.call_id,
    );
    const { expires, hidden } = question?.data ?? {};
    if (hidden) assert.ok(data.expired || data.closed !== undefined, `somebody has answered the wait ${seq}`);
    assert.equal(data.hidden, hidden, `${seq} and its question differ`);
    if (!data.expired || JSON.stringify([data, expires]).includes("[redacted]")) continue;
    assert.deepEqual(data.value, expires?.default, `${seq} is not the default`);
    const due =
      expires?.at ?? new Date(Date.parse(question?.at ?? "") + (expires?.after_ms ?? 0)).toISOString();
    assert.ok(at >= due, `${seq} was answered at ${at}, before ${due}`);
  }
}
