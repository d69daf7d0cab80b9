import { useWidth } from "@pawl/example-page-parts";
import { AxisBottom, AxisLeft } from "@visx/axis";
import { Group } from "@visx/group";
import { scaleBand, scaleLinear } from "@visx/scale";
import type { MuscleShare, Week } from "./use-progress.ts";
import { dayOf, thousands } from "./words.ts";

const MARGIN = { top: 8, right: 4, bottom: 22, left: 40 };
const TICK = { className: "chart-tick" };
/** Width of a day's label below the axis, in pixels. */
const DAY_WIDTH = 52;

/** The lifted volume, week by week. */
export function VolumeChart({ weeks }: { weeks: readonly Week[] }) {
  return (
    <WeekBars
      label={`Volume of ${weeks.length} weeks, most lately ${thousands(weeks.at(-1)?.volume_kg ?? 0)} kg`}
      height={170}
      bars={weeks.map(({ week_start: week, volume_kg: value }) => ({ week, value }))}
      unit=" kg"
    />
  );
}

/** The number of workouts, week by week. */
export function WorkoutsChart({ weeks }: { weeks: readonly Week[] }) {
  return (
    <WeekBars
      label={`Workouts of ${weeks.length} weeks, most lately ${weeks.at(-1)?.workouts ?? 0}`}
      height={110}
      bars={weeks.map(({ week_start: week, workouts: value }) => ({ week, value }))}
      unit=""
      ticks={3}
    />
  );
}

interface WeekBarsProps {
  label: string;
  height: number;
  bars: readonly { week: string; value: number }[];
  unit: string;
  ticks?: number;
}

function WeekBars({ label, height, bars, unit, ticks = 4 }: WeekBarsProps) {
  const { box, width } = useWidth();
  const inner = {
    width: Math.max(0, width - MARGIN.left - MARGIN.right),
    height: height - MARGIN.top - MARGIN.bottom,
  };
  const x = scaleBand({ domain: bars.map(({ week }) => week), range: [0, inner.width], padding: 0.3 });
  const most = Math.max(1, ...bars.map(({ value }) => value));
  const y = scaleLinear({ domain: [0, most], range: [inner.height, 0], nice: ticks });
  // Labels every n-th week, so that labels do not overlap. The last week is always labelled.
  const every = Math.max(1, Math.ceil((bars.length * DAY_WIDTH) / Math.max(1, inner.width)));
  const named = bars.filter((_, at) => (bars.length - 1 - at) % every === 0).map(({ week }) => week);
  const levels = y.ticks(ticks).filter(Number.isInteger);
  return (
    <div ref={box} className="chart-box" style={{ height }}>
      {width > 0 && (
        <svg width={width} height={height} role="img" aria-label={label}>
          <Group left={MARGIN.left} top={MARGIN.top}>
            {levels.map((level) => (
              <line key={level} className="chart-level" x2={inner.width} y1={y(level)} y2={y(level)} />
            ))}
            {bars.map(({ week, value }, at) => (
              <rect
                key={week}
                className={at === bars.length - 1 ? "chart-bar chart-bar-now" : "chart-bar"}
                x={x(week) ?? 0}
                y={y(value)}
                width={x.bandwidth()}
                height={inner.height - y(value)}
                rx={Math.min(3, x.bandwidth() / 2)}
                data-testid="chart-bar"
                data-value={value}
              >
                <title>{`${dayOf(week)}: ${thousands(value)}${unit}`}</title>
              </rect>
            ))}
            <AxisLeft
              scale={y}
              tickValues={levels}
              tickFormat={(n) => short(Number(n))}
              hideTicks
              hideAxisLine
              tickLabelProps={{ ...TICK, dx: 2, dy: 4, textAnchor: "end" }}
            />
            <AxisBottom
              top={inner.height}
              scale={x}
              tickValues={named}
              tickFormat={dayOf}
              hideTicks
              axisLineClassName="chart-line"
              tickLabelProps={{ ...TICK, dy: 0, textAnchor: "middle" }}
            />
          </Group>
        </svg>
      )}
    </div>
  );
}

const ROW = 26;
const NAME_WIDTH = 84;
const VALUE_WIDTH = 40;

/** The muscles that were worked, and their shares of all sets. */
export function MusclesChart({ muscles }: { muscles: readonly MuscleShare[] }) {
  const { box, width } = useWidth();
  const ordered = muscles.toSorted((a, b) => b.share - a.share);
  const height = ordered.length * ROW;
  const most = Math.max(0.01, ...ordered.map(({ share }) => share));
  const x = scaleLinear({ domain: [0, most], range: [0, Math.max(0, width - NAME_WIDTH - VALUE_WIDTH)] });
  const top = ordered.slice(0, 3).map(({ muscle }) => muscle);
  return (
    <div ref={box} className="chart-box" style={{ height }}>
      {width > 0 && (
        <svg width={width} height={height} role="img" aria-label={`Muscles, most of all ${top.join(", ")}`}>
          {ordered.map(({ muscle, share }, at) => (
            <Group key={muscle} top={at * ROW}>
              <text className="chart-tick" x={NAME_WIDTH - 8} y={ROW / 2} dy="0.35em" textAnchor="end">
                {muscle}
              </text>
              <rect className="chart-bar" x={NAME_WIDTH} y={5} width={x(share)} height={ROW - 10} rx={3} />
              <text className="chart-tick" x={NAME_WIDTH + x(share) + 6} y={ROW / 2} dy="0.35em">
                {Math.round(share * 100)} %
              </text>
            </Group>
          ))}
        </svg>
      )}
    </div>
  );
}

/** Formats a number for an axis, e.g. `12k`. */
function short(value: number): string {
  return value >= 1000 ? `${Number((value / 1000).toFixed(1))}k` : String(value);
}
