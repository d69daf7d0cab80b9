import { type Json, type JsonObject, jsonSchema, validate } from "@pawl/core";
import { unusable } from "../base/failure.ts";
import { isObject } from "../base/json.ts";
import type { ListedTool } from "./fingerprint.ts";
import type { McpResult } from "./result.ts";

/** Checks a result by the schema that the tool was listed with. @throws McpFailure if it does not match */
export async function checkOutput(
  server: string,
  { outputSchema }: ListedTool,
  result: McpResult,
): Promise<void> {
  if (!isObject(outputSchema as Json)) return;
  const { $schema: _, ...schema } = outputSchema as JsonObject;
  const { structuredContent } = result;
  if (structuredContent === undefined) throw unusable(server, "it has no structuredContent");
  let checked: Awaited<ReturnType<typeof validate>>;
  try {
    checked = await validate(jsonSchema(schema), structuredContent);
  } catch {
    // The schema itself is invalid: it says nothing about the result.
    return;
  }
  if (!checked.ok)
    throw unusable(server, `it does not match the tool's output schema: ${checked.problems.join("; ")}`);
}
