import type { IncomingMessage, ServerResponse } from "node:http";
import { metrics } from "@opentelemetry/api";
import { PrometheusExporter } from "@opentelemetry/exporter-prometheus";
import { MeterProvider } from "@opentelemetry/sdk-metrics";

/** Answers a request with the metrics of this process, in the text format of Prometheus. */
export type ServeMetrics = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Makes the metrics of this process available to Prometheus: sets OpenTelemetry's global meter provider, so
 * call it before anything asks for a meter. Returns `undefined` if the process has a provider already, e.g.
 * because of `--import`.
 */
export function prometheusMetrics(): ServeMetrics | undefined {
  const exporter = new PrometheusExporter({ preventServerStart: true });
  const provider = new MeterProvider({ readers: [exporter] });
  if (!metrics.setGlobalMeterProvider(provider)) return undefined;
  return (request, response) => exporter.getMetricsRequestHandler(request, response);
}
