import type { StoredEvent } from "@pawl/core";
import { newRecord, type RunRecord, withEvent } from "@pawl/planning";
import { fieldsOf, numberOf, textOf } from "../base/read.ts";
import type { ModelUse, Run, Runs } from "./run.ts";

const NOTHING: Runs = { runs: [], count: 0, last: undefined, record: newRecord("") };

/** A token has about so many characters of text. */
const CHARACTERS = 4;

/**
 * Folds the events of a conversation into its runs. Continues from `before` if the events begin with those
 * that it was made of.
 */
export function foldRuns(before: Runs | undefined, events: readonly StoredEvent[]): Runs {
  const isMore = before !== undefined && before.count > 0 && events[before.count - 1] === before.last;
  const start = isMore ? before : NOTHING;
  if (start.count === events.length && isMore) return start;
  let { runs, record } = start;
  for (const event of events.slice(start.count)) {
    record = recordAfter(record, event);
    runs = runsAfter(runs, event, record);
  }
  return { runs, record, count: events.length, last: events.at(-1) };
}

/** Adds an event to the record. One that this version cannot read is left out. */
function recordAfter(record: RunRecord, event: StoredEvent): RunRecord {
  try {
    return withEvent(record, event);
  } catch {
    return { ...record, lastSeq: Math.max(record.lastSeq, numberOf(event.seq)) };
  }
}

function runsAfter(runs: readonly Run[], event: StoredEvent, record: RunRecord): readonly Run[] {
  const run = runs.at(-1);
  const type = event.type as string;
  if (type === "run_started") return [...begun(runs, event, record)];
  if (type === "redaction") return runs.map((one) => redactedRun(one, event));
  if (run === undefined) return runs;
  return [...runs.slice(0, -1), { ...run, record, ...changeBy(run, event) }];
}

/** Removes the content of a redacted event from a run. */
function redactedRun(run: Run, event: StoredEvent): Run {
  const seq = fieldsOf(event.data).get("seq");
  return {
    ...run,
    record: recordAfter(run.record, event),
    plans: run.plans.filter((one) => one.seq !== seq),
  };
}

function begun(runs: readonly Run[], event: StoredEvent, record: RunRecord): readonly Run[] {
  const data = fieldsOf(event.data);
  const id = textOf(data.get("run_id"));
  const last = runs.at(-1);
  const retried = textOf(data.get("retry_of"));
  if (last !== undefined && retried !== "" && last.ids.includes(retried)) {
    const { endedAt: _, ...rest } = last;
    return [...runs.slice(0, -1), { ...rest, ids: [...last.ids, id], record, waits: false }];
  }
  const fresh = { plans: [], models: [], resultTokens: new Map(), startedAt: event.at, waits: false };
  return [...runs, { ids: [id], record, ...fresh }];
}

function changeBy(run: Run, event: StoredEvent): Partial<Run> {
  const data = fieldsOf(event.data);
  switch (event.type as string) {
    case "planning.plan": {
      if (!run.ids.includes(textOf(data.get("run_id")))) return {};
      const written = { by: textOf(data.get("by")), plan: data.get("plan"), seq: event.seq };
      return { plans: [...run.plans, written] };
    }
    case "tool_result": {
      const text = data.get("content") ?? data.get("result");
      const tokens = Math.ceil(
        (typeof text === "string" ? text : (JSON.stringify(text) ?? "")).length / CHARACTERS,
      );
      return { resultTokens: new Map(run.resultTokens).set(textOf(data.get("call_id")), tokens) };
    }
    case "llm_response": {
      const model = textOf(fieldsOf(data.get("raw_response")).get("model"));
      return { models: withUse(run.models, "answer", model, event) };
    }
    case "spending":
      return { models: withUse(run.models, textOf(data.get("by")), textOf(data.get("model")), event) };
    case "run_suspended":
      return { waits: true };
    case "tool_answered":
    case "run_recovered":
      return { waits: false };
    case "run_ended":
      return { waits: false, endedAt: event.at };
    default:
      return {};
  }
}

function withUse(
  models: readonly ModelUse[],
  by: string,
  model: string,
  { data, durationMs }: StoredEvent,
): readonly ModelUse[] {
  const fields = fieldsOf(data);
  const before = models.find((one) => one.by === by && one.model === model);
  const use: ModelUse = {
    by,
    model,
    answers: (before?.answers ?? 0) + 1,
    durationMs: (before?.durationMs ?? 0) + numberOf(durationMs),
    costUsd: (before?.costUsd ?? 0) + numberOf(fields.get("cost_cents")) / 100,
    tokens: (before?.tokens ?? 0) + numberOf(fieldsOf(fields.get("tokens")).get("total")),
  };
  return before === undefined ? [...models, use] : models.map((one) => (one === before ? use : one));
}
