import { AsTable, useWidth } from "@pawl/example-page-parts";
import { Group } from "@visx/group";
import { scaleLinear } from "@visx/scale";
import type { MetricInfo, RankBenchmarks, RankValues } from "../../src/base/shapes.ts";
import { numberOf, shortRank, withUnit } from "../base/words.ts";

const ROW = 26;
const NAME_WIDTH = 82;
const WORDS_WIDTH = 112;
/** Space for a mark at an end of the scale. */
const MARK = 6;

/** For each metric, a bar for each rank with the user's value on it. */
export function BenchmarkBars({ metrics }: Pick<RankBenchmarks, "metrics">) {
  return (
    <>
      <ul className="rl-pairs">
        {metrics.map((metric) => (
          <li key={metric.metric} className="rl-pair" data-testid="rl-benchmark">
            <p className="rl-pair-head">
              <span>{metric.label}</span>
              <strong>{withUnit(metric.you, metric.unit)}</strong>
            </p>
            <RankBars {...metric} />
          </li>
        ))}
      </ul>
      <Legend />
      <AsTable
        of="you beside the players of each rank"
        columns={["Metric and rank", "You", "Lowest 10%", "Median", "Highest 10%", "You are"]}
        rows={metrics.flatMap((metric) =>
          metric.ranks.map((rank) => [
            `${metric.label}, ${rank.rank}`,
            withUnit(metric.you, metric.unit),
            numberOf(rank.p10),
            numberOf(rank.p50),
            numberOf(rank.p90),
            standing(metric, rank),
          ]),
        )}
      />
    </>
  );
}

function Legend() {
  return (
    <ul className="rl-legend" aria-hidden="true">
      <li>
        <i className="rl-key rl-key-wide" /> 8 of 10 players
      </li>
      <li>
        <i className="rl-key rl-key-middle" /> middle half
      </li>
      <li>
        <i className="rl-key rl-key-median" /> median
      </li>
      <li>
        <i className="rl-key rl-key-you" /> you
      </li>
    </ul>
  );
}

function RankBars({ label, unit, better, you, ranks }: RankBenchmarks["metrics"][number]) {
  const { box, width } = useWidth();
  const height = ranks.length * ROW;
  const all = [...ranks.flatMap(({ p10, p90 }) => [p10, p90]), ...(you === null ? [] : [you])];
  const x = scaleLinear({
    domain: [Math.min(...all), Math.max(...all)],
    range: [MARK, Math.max(MARK + 1, width - NAME_WIDTH - WORDS_WIDTH - MARK)],
  });
  const words = ranks.map((rank) => `${rank.rank}: ${standing({ better }, rank)}`);
  const alternative = `${label}: you ${withUnit(you, unit)}. ${words.join(". ")}.`;
  return (
    <div ref={box} className="rl-chart" style={{ height }}>
      {width > 0 && (
        <svg width={width} height={height} role="img" aria-label={alternative}>
          {ranks.map((rank, at) => (
            <Group key={rank.rank} top={at * ROW}>
              <text className="rl-tick" y={ROW / 2} dy="0.35em">
                {shortRank(rank.rank)}
              </text>
              <Group left={NAME_WIDTH}>
                <Spread rank={rank} x={x} />
                {you !== null && <YourMark at={x(you)} />}
              </Group>
              <text className="rl-tick" x={width} y={ROW / 2} dy="0.35em" textAnchor="end">
                {standing({ better }, rank)}
              </text>
            </Group>
          ))}
        </svg>
      )}
    </div>
  );
}

function Spread({
  rank: { p10, p25, p50, p75, p90 },
  x,
}: {
  rank: RankValues;
  x: (value: number) => number;
}) {
  const bar = (from: number, to: number) => ({ x: x(from), width: Math.max(2, x(to) - x(from)) });
  return (
    <>
      <rect className="rl-wide" {...bar(p10, p90)} y={9} height={8} rx={4} data-testid="rl-bar">
        <title>{`${numberOf(p10)} to ${numberOf(p90)}`}</title>
      </rect>
      <rect className="rl-middle" {...bar(p25, p75)} y={9} height={8} rx={2} />
      <line className="rl-median" x1={x(p50)} x2={x(p50)} y1={7} y2={19} />
    </>
  );
}

function YourMark({ at }: { at: number }) {
  return <circle className="rl-you" cx={at} cy={13} r={5} data-testid="rl-you" />;
}

/** Says where the user stands among the players of a rank. */
function standing({ better }: Pick<MetricInfo, "better">, { your_percentile: below }: RankValues): string {
  if (below === null) return "no value yet";
  if (better === "neither") return `above ${Math.round(below)}%`;
  return `better than ${Math.round(better === "higher" ? below : 100 - below)}%`;
}
