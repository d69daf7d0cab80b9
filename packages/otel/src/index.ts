// The entry `@pawl/otel`: OpenTelemetry of runs.

// Metrics

export { type MetricOptions, withMetrics } from "./with-metrics.ts";

// Spans

export { type SpanOptions, withSpans } from "./with-spans.ts";
