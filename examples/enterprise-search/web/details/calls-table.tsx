import { Table } from "@pawl/example-page-parts";
import { clipped, costOf, countOf, durationOf } from "../base/words.ts";
import type { Run } from "../runs/run.ts";
import { type CallRow, rowsOf, totalsOf } from "./rows.ts";

const COLUMNS = ["Call", "Time", "Cost", "Results", "Tokens"];

/** The calls of a run in numbers, with their sums. The tokens of a result are estimated. */
export function CallsTable({ run }: { run: Run }) {
  const rows = rowsOf(run);
  if (rows.length === 0) return <p className="es-calls es-soft">Nothing was called yet.</p>;
  const { ms, usd, results, tokens } = totalsOf(rows);
  return (
    <div className="es-calls" data-testid="es-calls">
      <Table
        of="Calls of this answer"
        columns={COLUMNS}
        rows={rows.map((row) => ({ key: row.key, cells: cellsOf(row) }))}
        total={["Total", durationOf(ms), costOf(usd), countOf(results), countOf(tokens)]}
      />
    </div>
  );
}

function cellsOf(row: CallRow) {
  const { key, name, by, note, state, ms, usd, results, tokens, isEstimate } = row;
  return [
    <span key={key} className={`es-call es-call-${state}`} data-testid="es-call" data-state={state}>
      {clipped(name, 80)}
      {by !== "" && <span className="es-soft es-call-by">{clipped(by, 60)}</span>}
      {note !== "" && <span className="es-call-note">{clipped(note, 120)}</span>}
    </span>,
    state === "running" ? "…" : orDash(ms, durationOf),
    orDash(usd, costOf),
    orDash(results, countOf),
    orDash(tokens, (value) => `${isEstimate ? "≈ " : ""}${countOf(value)}`),
  ];
}

function orDash(value: number | undefined, format: (value: number) => string): string {
  return value === undefined ? "–" : format(value);
}
