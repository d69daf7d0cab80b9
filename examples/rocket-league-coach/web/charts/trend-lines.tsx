import { AsTable, useWidth } from "@pawl/example-page-parts";
import { AxisBottom } from "@visx/axis";
import { Group } from "@visx/group";
import { scaleLinear, scaleUtc } from "@visx/scale";
import type { PlayerTrends, TrendSeries } from "../../src/base/shapes.ts";
import { dayOf, numberOf, signed, withUnit } from "../base/words.ts";

const HEIGHT = 112;
const MARGIN = { top: 10, right: 12, bottom: 22, left: 40 };

/** A line for each metric over the same windows. */
export function TrendLines({ windows, series, window }: PlayerTrends) {
  return (
    <>
      <ul className="rl-pairs">
        {series.map((one) => (
          <li key={one.metric} className="rl-pair" data-testid="rl-trend">
            <p className="rl-pair-head">
              <span>{one.label}</span>
              <strong>{withUnit(latestOf(one), one.unit)}</strong>
            </p>
            <p className={`rl-change rl-change-${one.direction ?? "none"}`}>{changeOf(one)}</p>
            <Line windows={windows} series={one} />
          </li>
        ))}
      </ul>
      <AsTable
        of={`each ${window}`}
        columns={[`${window} from`, "Matches", ...series.map(({ label, unit }) => `${label} (${unit})`)].map(
          (name) => `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`,
        )}
        rows={windows.map(({ from, matches }, at) => [
          dayOf(from),
          String(matches),
          ...series.map(({ values }) => numberOf(values[at] ?? null)),
        ])}
      />
    </>
  );
}

const DIRECTIONS: ReadonlyMap<TrendSeries["direction"], string> = new Map([
  ["better", "Better"],
  ["worse", "Worse"],
  ["up", "Up"],
  ["down", "Down"],
  ["steady", "Steady"],
]);

/** Returns the value of the last window that has one: the highlighted point. */
function latestOf({ values }: TrendSeries): number | null {
  return values.findLast((value) => value !== null) ?? null;
}

/** Describes a change, e.g. `Better: +44, from 825 to 869 on average`. */
function changeOf({ direction, first, last, change }: TrendSeries): string {
  const word = DIRECTIONS.get(direction);
  if (word === undefined || change === null) return "One value, so no direction yet";
  return `${word}: ${signed(change)}, from ${numberOf(first)} to ${numberOf(last)} on average`;
}

interface LineProps {
  windows: PlayerTrends["windows"];
  series: TrendSeries;
}

interface Point {
  day: Date;
  value: number;
}

function Line({ windows, series }: LineProps) {
  const { box, width } = useWidth();
  const { x, y } = scalesFor(windows, series, width);
  const days = windows.map(({ from }) => new Date(`${from}T00:00:00Z`));
  const points = days.map((day, at): Point | undefined => {
    const value = series.values[at] ?? null;
    return value === null ? undefined : { day, value };
  });
  const known = points.filter((point) => point !== undefined);
  return (
    <div ref={box} className="rl-chart" style={{ height: HEIGHT }}>
      {width > 0 && (
        <svg width={width} height={HEIGHT} role="img" aria-label={`${series.label}. ${changeOf(series)}.`}>
          <Group left={MARGIN.left} top={MARGIN.top}>
            {y.ticks(3).map((level) => (
              <g key={level}>
                <line className="rl-level" x2={x.range()[1] ?? 0} y1={y(level)} y2={y(level)} />
                <text className="rl-tick" x={-8} y={y(level)} dy="0.35em" textAnchor="end">
                  {numberOf(level)}
                </text>
              </g>
            ))}
            <path className="rl-line" d={pathOf(points, ({ day, value }) => [x(day), y(value)])} />
            {known.map(({ day, value }, at) => (
              <circle
                key={day.getTime()}
                className={at === known.length - 1 ? "rl-point rl-point-last" : "rl-point"}
                cx={x(day)}
                cy={y(value)}
                r={at === known.length - 1 ? 4 : 2.5}
                data-testid="rl-point"
              >
                <title>{`${dayOf(day.toISOString())}: ${withUnit(value, series.unit)}`}</title>
              </circle>
            ))}
            <Days days={days} x={x} />
          </Group>
        </svg>
      )}
    </div>
  );
}

/** The first and the last day below the line. */
function Days({ days, x }: { days: readonly Date[]; x: ReturnType<typeof scalesFor>["x"] }) {
  const named = [...new Set([days[0], days.at(-1)])].filter((day) => day !== undefined);
  return (
    <AxisBottom
      top={HEIGHT - MARGIN.top - MARGIN.bottom}
      scale={x}
      tickValues={named}
      tickFormat={(day) => dayOf(new Date(Number(day)).toISOString())}
      hideTicks
      axisLineClassName="rl-axis"
      tickLabelProps={(_, at) => ({
        className: "rl-tick",
        dy: 0,
        textAnchor: at === 0 ? "start" : "end",
      })}
    />
  );
}

function scalesFor(windows: PlayerTrends["windows"], { values }: TrendSeries, width: number) {
  const days = windows.map(({ from }) => Date.parse(`${from}T00:00:00Z`));
  const known = values.filter((value) => value !== null);
  const [low, high] = known.length === 0 ? [0, 1] : [Math.min(...known), Math.max(...known)];
  // A line without change is drawn in the middle.
  const room = high === low ? Math.abs(high) / 10 || 1 : 0;
  return {
    x: scaleUtc({
      domain: [new Date(Math.min(...days)), new Date(Math.max(...days))],
      range: [0, Math.max(1, width - MARGIN.left - MARGIN.right)],
    }),
    y: scaleLinear({
      domain: [low - room, high + room],
      range: [HEIGHT - MARGIN.top - MARGIN.bottom, 0],
      nice: 3,
    }),
  };
}

/** Returns the path of a line. A missing value interrupts it. */
function pathOf(points: readonly (Point | undefined)[], place: (point: Point) => [number, number]): string {
  return points
    .map((point, at) => {
      if (point === undefined) return "";
      const [x, y] = place(point);
      return `${points[at - 1] === undefined ? "M" : "L"}${x.toFixed(1)} ${y.toFixed(1)}`;
    })
    .join("");
}
