import { canonicalJson, type JsonObject, type Tool } from "@pawl/core";
import { plainJsonSchema } from "@pawl/core/tools";
import type { ToolDefinition } from "../wire/definition.ts";

/** The definitions of tools, and a version that changes with them. */
export interface Definitions {
  tools: ToolDefinition[];
  version: string;
}

/** Returns the definitions of tools, with plain schemas. */
export async function definitionsOf(tools: Iterable<Tool>): Promise<Definitions> {
  const definitions = [...tools].map(definitionOf);
  const bytes = new TextEncoder().encode(canonicalJson(definitions));
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  const version = Array.from(hash.subarray(0, 8), (byte) => byte.toString(16).padStart(2, "0")).join("");
  return { tools: definitions, version };
}

function definitionOf(tool: Tool): ToolDefinition {
  const { spec, idempotent, repeatable, timeoutMs, maxResultChars, dependsOn, endsRun, status } = tool;
  return {
    name: spec.name,
    description: spec.description,
    input_schema: plainJsonSchema(spec.input_schema as JsonObject),
    ...(idempotent && { idempotent }),
    ...(repeatable !== undefined && { repeatable }),
    ...(timeoutMs !== undefined && { timeout_ms: timeoutMs }),
    ...(maxResultChars !== undefined && { max_result_chars: maxResultChars }),
    ...(dependsOn.length > 0 && { depends_on: [...dependsOn] }),
    ...(endsRun !== false && { ends_run: endsRun }),
    ...(Object.keys(status).length > 0 && { status }),
  };
}
