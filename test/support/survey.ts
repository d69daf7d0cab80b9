import assert from "node:assert/strict";
import { type Json, type StoredEvent, type Tool, tool } from "@pawl/core";
import * as z from "zod";
import { ofType } from "./invariants.ts";

/** The parts of `survey` that random runs have reached so far: how often, by number of answers. */
export const surveyed = new Map<number, number>();

/** What the tool needs to continue. */
interface SurveyState {
  value: string;
  answers: Json[];
}

/** How many questions the tool asks. */
const questionsFor = (value: string): number => (value === "a" ? 1 : 2);

const STEPS: readonly string[] = ["tool_started", "tool_suspended", "tool_answered", "tool_result"];

/** The name of one part of a call: the work between two questions. */
const partOf = (callId: string, part: number): string => `${callId} after ${part} answers`;

/**
 * Makes the tool `survey`, which asks once or twice while it runs. It is not idempotent, so each of its parts
 * runs at most once. `ran` counts them.
 */
export function survey(ran: Map<string, number>): Tool<unknown> {
  return tool({
    name: "survey",
    description: "Asks some questions.",
    input: z.object({ value: z.string() }),
    execute: async ({ value }, { callId, answered, ask, report, append, credentials }) => {
      const part = answered?.questions ?? 0;
      const name = partOf(callId, part);
      ran.set(name, (ran.get(name) ?? 0) + 1);
      surveyed.set(part, (surveyed.get(part) ?? 0) + 1);
      report({ costUsd: 0.0001 });
      await append({ type: "test.surveyed", key: `surveyed:${callId}:${part}`, data: { part } });
      const state = answered?.state as SurveyState | undefined;
      const answers = answered === undefined ? [] : [...(state?.answers ?? []), answered.value];
      if (part === questionsFor(value)) return { asked: state?.value ?? null, answers };
      return ask({
        kind: "survey",
        payload: { value, credentials: (credentials ?? null) as Json },
        answer: z.object({ text: z.string() }),
        state: { value, answers },
      });
    },
  });
}

/**
 * Asserts that each part of each `survey` ran once, in order, and after the answer before it; that it went on
 * with its state and all answers; and that each question was charged. Calls up to `fromSeq` were copied by a
 * fork.
 */
export function assertSurveys(
  log: readonly StoredEvent[],
  ran: ReadonlyMap<string, number>,
  fromSeq = 0,
): void {
  for (const { seq, data } of ofType(log, "tool_call")) {
    if (seq <= fromSeq || data.tool_name !== "survey") continue;
    const own = log.filter((event) => (event.data as { call_id?: string }).call_id === data.call_id);
    const steps = own.map(({ type }) => type).filter((type) => STEPS.includes(type));
    const what = `${data.call_id}: ${steps.join(", ")}`;
    assert.match(
      steps.map((type) => `${type} `).join(""),
      /^(tool_started tool_suspended tool_answered )*(tool_started )?(tool_suspended |tool_result )?$/,
      what,
    );
    const asked = ofType(own, "tool_suspended");
    for (let part = 0; part <= asked.length; part += 1) {
      const times = ran.get(partOf(data.call_id, part)) ?? 0;
      assert.ok(times <= 1, `${part} of ${what} ran ${times} times`);
      if (part < asked.length) assert.equal(times, 1, `${part} of ${what} did not run`);
    }
    for (const question of asked)
      assert.equal(question.data.spent?.cost_cents, 0.01, `a question of ${what} is not charged`);
    assertAnswered(own, data.arguments, what);
  }
}

/**
 * Asserts that a successful call read the answers that are stored. Redacted events have none, and a question
 * that was closed has no answer of the user.
 */
function assertAnswered(own: readonly StoredEvent[], args: unknown, what: string): void {
  const [result] = ofType(own, "tool_result");
  if (result?.data.success !== true || result.data.skipped !== undefined) return;
  if (JSON.stringify(own).includes("[redacted]")) return;
  const answers = ofType(own, "tool_answered").map(({ data }) => data.value);
  const { value } = args as { value?: string };
  if (value === undefined) return;
  assert.equal(answers.length, questionsFor(value), what);
  // A hook may have wrapped the result.
  const { checked = result.data.result } = result.data.result as { checked?: Json };
  assert.deepEqual(checked, { asked: value, answers }, what);
}
