import { Table } from "@pawl/example-page-parts";
import type { RotationAnalysis } from "../../src/base/shapes.ts";
import { numberOf, withUnit } from "../base/words.ts";
import { CompareBars } from "./compare-bars.tsx";

/** Where the user is on the field: thirds, roles in the team, positioning, and matches won and lost. */
export function RotationSummary({ thirds, roles, positioning, by_result, you }: RotationAnalysis) {
  return (
    <>
      <Thirds thirds={thirds} rank={you.rank} />
      {roles !== null && <Roles {...roles} />}
      <h4>Positioning</h4>
      <CompareBars of="Positioning" rows={positioning} />
      <h4>Won and lost</h4>
      <Table
        of="your averages in matches won and lost"
        columns={["Metric", "Won", "Lost"]}
        rows={by_result.map(({ label, unit, won, lost }) => [
          label,
          withUnit(won, unit === "per match" ? "" : unit),
          withUnit(lost, unit === "per match" ? "" : unit),
        ])}
      />
    </>
  );
}

const THIRDS: ReadonlyMap<string, string> = new Map([
  ["defensive", "Own third"],
  ["neutral", "Middle"],
  ["offensive", "Their third"],
]);

interface ThirdsProps {
  thirds: RotationAnalysis["thirds"];
  rank: string;
}

/** The thirds of the field from the own goal to the opponents'. The darker, the more time. */
function Thirds({ thirds, rank }: ThirdsProps) {
  return (
    <ul className="rl-thirds" aria-label="Time in each third of the field">
      {thirds.map(({ third, you, rank_median: median }) => (
        <li key={third} data-testid="rl-third" style={{ ["--share" as string]: `${between(0, you, 80)}%` }}>
          <span className="rl-third-name">{THIRDS.get(third) ?? third}</span>
          <strong>{numberOf(you)}%</strong>
          <span className="rl-note">
            {rank} {numberOf(median)}%
          </span>
        </li>
      ))}
    </ul>
  );
}

function between(low: number, value: number, high: number): number {
  return Math.min(high, Math.max(low, value));
}

/** How much of the time the user is the first and the last of the team. */
function Roles({ fair_share: fair, most_back, most_forward }: NonNullable<RotationAnalysis["roles"]>) {
  const rows = [
    { label: "Last player back", you: most_back },
    { label: "Furthest forward", you: most_forward },
  ];
  return (
    <ul className="rl-roles" aria-label="Roles in the team">
      {rows.map(({ label, you }) => (
        <li key={label} data-testid="rl-role">
          <p className="rl-pair-head">
            <span>{label}</span>
            <strong>{numberOf(you)}%</strong>
          </p>
          <div className="rl-bar" aria-hidden="true">
            <span className="rl-bar-you" style={{ width: `${between(0, you, 100)}%` }} />
            <span className="rl-bar-rank" style={{ left: `${fair}%` }} />
          </div>
          <p className="rl-note">a fair share is {numberOf(fair)}%</p>
        </li>
      ))}
    </ul>
  );
}
