export { type Metric, type MetricName, metric, metricNames, metrics } from "./base/metrics.ts";
