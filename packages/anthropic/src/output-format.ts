import type { JsonObject, ModelRequest } from "@pawl/core";
import { formatSchema, withoutOpaque } from "@pawl/core/model";

/**
 * What the API's output formats can express, as of 2026-11-22: at most 24 optional fields and 16 unions in a
 * request, tools included.
 */
const RULES = {
  levels: 10,
  fields: 200,
  optional: 24,
  unions: 16,
  formats: ["date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"],
};

/** The names of models with their version, e.g. `claude-sonnet-5-5` or `claude-haiku-4-5-20251001`. */
const NAME = /claude-[a-z]+-(\d{1,2})(?:-(\d{1,2}))?(?!\d)/;

/** Returns whether a model has output formats: those from version 4.5 do. */
export function hasOutputFormat(model: string): boolean {
  const [, major, minor = "0"] = NAME.exec(model) ?? [];
  return major !== undefined && Number(major) + Number(minor) / 10 >= 4.5;
}

/** Returns a schema as the API takes it; `undefined` if the API cannot express it. */
export function claudeFormat(schema: JsonObject): JsonObject | undefined {
  return formatSchema(schema, RULES);
}

/** Returns the field `output_config` of a request, which combines the options with the output format. */
export function outputConfig(
  { outputFormat }: ModelRequest,
  { effort, body = {} }: { effort?: string; body?: { readonly output_config?: unknown } },
): { output_config?: object } {
  if (effort === undefined && outputFormat === undefined) return {};
  const format = outputFormat && { format: { type: "json_schema", schema: outputFormat } };
  return { output_config: { ...(effort && { effort }), ...Object(body.output_config), ...format } };
}

/**
 * Returns the messages without what servers of other APIs want back. With an output format, returns them
 * without citations, too, which the API refuses then: neither in documents and search results, nor in what
 * tools have returned.
 */
export function messagesFor({ messages, outputFormat }: ModelRequest): ModelRequest["messages"] {
  const own = withoutOpaque(messages);
  return outputFormat === undefined ? own : own.map(withoutCitations);
}

function withoutCitations<T>(part: T): T {
  if (Array.isArray(part)) {
    const parts = part.map(withoutCitations);
    return parts.some((one, at) => one !== part[at]) ? (parts as T) : part;
  }
  if (typeof part !== "object" || part === null) return part;
  const { type, citations, ...rest } = part as { type?: unknown; citations?: unknown };
  const isSource = type === "document" || type === "search_result";
  if (isSource && citations !== undefined) return { type, ...rest } as T;
  const { content } = part as { content?: unknown };
  const inside = withoutCitations(content);
  return inside === content ? part : { ...part, content: inside };
}
