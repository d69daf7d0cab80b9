import { type ApiError, invalid } from "../../base/api-error.ts";
import { asBlocks, isObject, type ParsedRequest } from "../../base/wire-request.ts";
import { lastBlocks, type PausedTurns } from "../state/paused-turns.ts";

/** The values of `format` that strings may have in output formats and strict tools. */
export const FORMATS: string[] = [
  ...["date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"],
];

/** Returns the schema of the request's output format; `undefined` without one. */
export function outputFormatOf({ output_config }: ParsedRequest): unknown {
  const { format } = Object(output_config) as { format?: { schema?: unknown } | null };
  return format?.schema;
}

/**
 * Refuses what the API does not allow together with an output format: citations in documents and search
 * results, and a last message of the assistant that the model would continue. The wording of the errors is a
 * guess.
 */
export function checkOutputFormat(request: ParsedRequest, paused?: PausedTurns): ApiError | undefined {
  if (outputFormatOf(request) === undefined) return undefined;
  for (const [at, { content }] of request.messages.entries())
    if (asBlocks(content).some(cites))
      return invalid(`messages.${at}: citations are not supported when \`output_config.format\` is set`);
  const last = lastBlocks(request.messages);
  if (last.length === 0 || paused?.has(last) === true) return undefined;
  return invalid("output_config.format: not supported when the last message is the assistant's");
}

function cites(block: unknown): boolean {
  if (Array.isArray(block)) return block.some(cites);
  if (!isObject(block)) return false;
  const { type, citations, content } = block as { type?: unknown; citations?: unknown; content?: unknown };
  const isSource = type === "document" || type === "search_result";
  return (isSource && Object(citations).enabled === true) || cites(content);
}
