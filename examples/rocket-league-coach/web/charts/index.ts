export { BenchmarkBars } from "./benchmark-bars.tsx";
export { BoostMap } from "./boost-map.tsx";
export { CompareBars } from "./compare-bars.tsx";
export { RotationSummary } from "./rotation-summary.tsx";
export { Scoreboard } from "./scoreboard.tsx";
export { SessionsTable } from "./sessions-table.tsx";
export { TrendLines } from "./trend-lines.tsx";
