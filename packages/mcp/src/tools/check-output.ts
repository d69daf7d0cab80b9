import { type Json, type JsonObject, type Schema, toJsonSchema, validate } from "@pawl/core";
import { listedProblems, untrustedSchema } from "@pawl/core/tools";
import { McpFailure, unusable } from "../base/failure.ts";
import { isObject } from "../base/json.ts";
import type { CallToolResult } from "../connect/sdk.ts";
import type { ListedTool } from "./fingerprint.ts";
import { type McpResult, resultOf } from "./result.ts";

/**
 * Returns what is stored of a result.
 *
 * @throws McpFailure if the tool failed, or its result cannot be stored or does not match its schema
 */
export async function checkedOutput(
  server: string,
  listed: ListedTool,
  given: CallToolResult,
  secrets: readonly string[],
): Promise<McpResult> {
  let result: McpResult;
  try {
    result = resultOf(given, secrets);
  } catch (error) {
    // `RangeError`: it is nested so deeply that nobody can read it.
    throw error instanceof McpFailure ? error : unusable(server, "it is not JSON that can be stored");
  }
  await checkOutput(server, listed, result);
  return result;
}

/** Checks a result by the schema that the tool was listed with. @throws McpFailure if it does not match */
async function checkOutput(server: string, { outputSchema }: ListedTool, result: McpResult): Promise<void> {
  if (!isObject(outputSchema as Json)) return;
  const { $schema: _, ...schema } = outputSchema as JsonObject;
  const { structuredContent } = result;
  if (structuredContent === undefined) throw unusable(server, "it has no structuredContent");
  const judge = judgeOf(schema);
  if (judge === undefined) return;
  const checked = await validate(judge, structuredContent);
  if (!checked.ok)
    throw unusable(server, `it does not match the tool's output schema: ${listedProblems(checked.problems)}`);
}

/** Returns a schema to validate by; `undefined` if it is invalid, and so says nothing about results. */
function judgeOf(schema: JsonObject): Schema<JsonObject> | undefined {
  try {
    const judge = untrustedSchema(schema);
    toJsonSchema(judge);
    return judge;
  } catch {
    return undefined;
  }
}
