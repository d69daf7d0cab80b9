import assert from "node:assert/strict";
import { isFailed, type StoredEvent, type StoredOf } from "@pawl/core";
import * as z from "zod";

/** The output of the agents in the random runs. Its bounds are in no output format, so a model may break them. */
export const verdict = z.object({
  title: z.string().min(2),
  stars: z.int().min(1).max(5),
  tags: z.array(z.string()).max(3),
  note: z.string().optional(),
});

/** How often runs had each outcome. */
export const outcomes = new Map<string, number>();

function count(outcome: string): void {
  outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
}

/** Asserts that each run in the log ended with a valid output or a typed reason, after at most one reminder. */
export function assertOutputs(log: readonly StoredEvent[]): void {
  for (const { seq, data } of log.filter((event) => event.type === "run_started")) {
    const end = log.find(
      (event): event is StoredOf<"run_ended"> =>
        event.type === "run_ended" && event.data.run_id === data.run_id,
    );
    assert.ok(end !== undefined, `${data.run_id} has not ended`);
    assertRun(
      log.filter((event) => event.seq > seq && event.seq < end.seq),
      end,
    );
  }
}

function assertRun(run: readonly StoredEvent[], { data: { run_id, stop } }: StoredOf<"run_ended">): void {
  const outputs = run.filter((event) => event.type === "output");
  const reminders = outputs.filter(({ data }) => data.reminder);
  assert.ok(reminders.length <= 1, `${run_id} has ${reminders.length} reminders`);
  for (const { data } of outputs) if (data.value !== undefined) verdict.parse(data.value);
  const last = run.findLast((event) => event.type === "assistant_message")?.data.attempt;
  const given = outputs.some(({ data }) => data.value !== undefined && data.attempt === last);
  const { type } = stop;
  assert.ok(type !== "terminal_tool" && type !== "", `${run_id} ended as ${type}`);
  if (type === "end_turn") assert.ok(given, `${run_id} is complete and has no output`);
  if (type === "invalid_output") assert.ok(!given && isFailed({ type }), `${run_id} has an output after all`);
  const kind = type === "end_turn" ? "given" : "given at a limit";
  count(given ? (reminders.length > 0 ? "reminded" : kind) : type);
}
