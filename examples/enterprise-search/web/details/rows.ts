import type { ToolExecution } from "@pawl/planning";
import { numberOf } from "../base/read.ts";
import { sourceName, toolName } from "../base/sources.ts";
import type { Run } from "../runs/run.ts";

/** A row of the table of calls. `undefined`: not known, or absent. */
export interface CallRow {
  key: string;
  name: string;
  /** The connector, or the model. */
  by: string;
  /** What the user should know about its end, e.g. that it was skipped. */
  note: string;
  state: "running" | "ok" | "skipped" | "failed";
  ms: number | undefined;
  usd: number | undefined;
  results: number | undefined;
  tokens: number | undefined;
  /** Whether `tokens` is an estimate. */
  isEstimate: boolean;
}

/** After so many failures in a row a tool is taken out of the run. */
const TAKEN_OUT = 3;

/** Returns the calls of a run, and what its models have used. */
export function rowsOf(run: Run): CallRow[] {
  const { record, models, resultTokens } = run;
  const out = new Map(record.failedTools.map(({ tool, count }) => [tool, count]));
  const failed = record.calls.filter(({ status }) => status === "error");
  const last = new Map(failed.map((call) => [call.tool, call]));
  const calls = record.calls.map((call, at): CallRow => {
    const failures = last.get(call.tool) === call ? (out.get(call.tool) ?? 0) : 0;
    return {
      key: `${call.callId}-${at}`,
      name: toolName(call.tool),
      by: byOf(call, record.agent),
      note: noteOf(call, failures),
      state: call.status === "success" ? "ok" : call.status === "error" ? "failed" : call.status,
      ms: call.status === "skipped" ? undefined : (call.durationMs ?? undefined),
      usd: call.status === "running" || call.status === "skipped" ? undefined : call.costUsd,
      results: call.status === "success" ? call.fragments.length : undefined,
      tokens: call.status === "success" ? resultTokens.get(call.callId) : undefined,
      isEstimate: true,
    };
  });
  return [...calls, ...models.map(modelRow)];
}

const BY: ReadonlyMap<string, string> = new Map([
  ["planning", "Plan and review"],
  ["answer", "Answer"],
]);

function modelRow({ by, model, answers, durationMs, costUsd, tokens }: Run["models"][number]): CallRow {
  return {
    key: `model-${by}-${model}`,
    name: `${BY.get(by) ?? by}${answers > 1 ? ` × ${answers}` : ""}`,
    by: model || "model",
    ...{ note: "", state: "ok", ms: durationMs, usd: costUsd, results: undefined, tokens, isEstimate: false },
  };
}

/** The connector that was asked, and the sub-agent that has asked it. */
function byOf({ connector, agent }: ToolExecution, main: string): string {
  const names = [
    connector === null ? "" : sourceName(String(connector)),
    agent === main ? "" : sourceName(agent),
  ];
  return [...new Set(names)].filter((one) => one !== "").join(", ");
}

const SKIPPED: ReadonlyMap<string, string> = new Map([
  ["duplicate", "skipped: the same call was made before"],
  ["waiting", "skipped: it waits for another call of its turn"],
  ["surplus", "skipped: too many calls in one turn"],
  ["closed", "skipped: the run ended"],
  ["gated", "skipped: the request is not clear yet"],
]);

function noteOf(call: ToolExecution, failures: number): string {
  if (call.status === "skipped") return SKIPPED.get(call.skipped ?? "") ?? `skipped: ${call.skipped ?? ""}`;
  if (call.status !== "error") return "";
  const code = call.error?.code === undefined ? "" : ` (${call.error.code})`;
  return failures >= TAKEN_OUT ? `refused after ${failures} failures${code}` : `failed${code}`;
}

/** Adds the rows up. What is not known counts as nothing. */
export function totalsOf(rows: readonly CallRow[]) {
  const sum = (of: (row: CallRow) => number | undefined) =>
    rows.reduce((all, row) => all + numberOf(of(row)), 0);
  return {
    ms: sum(({ ms }) => ms),
    usd: sum(({ usd }) => usd),
    results: sum(({ results }) => results),
    tokens: sum(({ tokens }) => tokens),
  };
}
