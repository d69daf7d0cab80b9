export { type SpanOptions, withSpans } from "./with-spans.ts";
