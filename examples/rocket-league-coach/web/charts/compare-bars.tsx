import { scaleLinear } from "@visx/scale";
import type { Comparison } from "../../src/base/shapes.ts";
import { numberOf, signed, withUnit } from "../base/words.ts";

interface CompareBarsProps {
  /** The list's name. */
  of: string;
  rows: readonly Comparison[];
}

/** The user's values, each as a bar with a mark where the median of the rank is. */
export function CompareBars({ of, rows }: CompareBarsProps) {
  return (
    <ul className="rl-compare" aria-label={of}>
      {rows.map((row) => (
        <li key={row.metric} data-testid="rl-compare">
          <p className="rl-pair-head">
            <span>{row.label}</span>
            <strong>{withUnit(row.you, row.unit)}</strong>
          </p>
          <Bar {...row} />
          <p className="rl-note">{besideRank(row)}</p>
        </li>
      ))}
    </ul>
  );
}

function Bar({ you, rank_median: rank }: Comparison) {
  const x = scaleLinear({ domain: [0, Math.max(you ?? 0, rank ?? 0, 0.01) * 1.15], range: [0, 100] });
  return (
    <div className="rl-bar" aria-hidden="true">
      {you !== null && <span className="rl-bar-you" style={{ width: `${x(you)}%` }} />}
      {rank !== null && <span className="rl-bar-rank" style={{ left: `${x(rank)}%` }} />}
    </div>
  );
}

/** Describes the difference to the rank, e.g. `rank 13.6 · +1.3, worse`. */
function besideRank({ you, rank_median: rank, better }: Comparison): string {
  if (rank === null) return "no value of your rank";
  if (you === null) return `rank ${numberOf(rank)}`;
  const change = Number((you - rank).toFixed(2));
  const isSmall = Math.abs(change) < Math.abs(rank) * 0.02;
  if (isSmall) return `rank ${numberOf(rank)} · about the same`;
  if (better === "neither") return `rank ${numberOf(rank)} · ${signed(change)}`;
  const isBetter = better === "higher" ? change > 0 : change < 0;
  return `rank ${numberOf(rank)} · ${signed(change)}, ${isBetter ? "better" : "worse"}`;
}
