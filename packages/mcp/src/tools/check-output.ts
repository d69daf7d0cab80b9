import { type Json, type JsonObject, messageOf, type Schema, toJsonSchema, validate } from "@pawl/core";
import { excessOf, type JsonBounds, listedProblems, untrustedSchema } from "@pawl/core/tools";
import { McpFailure, unusable } from "../base/failure.ts";
import { isObject } from "../base/json.ts";
import { hasTooManyValues, TOO_MANY_VALUES } from "../base/large-schema.ts";
import type { CallToolResult } from "../connect/sdk.ts";
import type { ListedTool } from "./fingerprint.ts";
import { type McpResult, resultOf } from "./result.ts";

/** What the structured part of a result may have at most, as for results of `remoteTools()`. */
const BOUNDS: JsonBounds = { levels: 1_000, values: 100_000 };

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
  const excess = excessOf(given.structuredContent, BOUNDS);
  if (excess !== undefined)
    throw unusable(server, `its structuredContent has more than ${BOUNDS[excess]} ${excess}`);
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
  const { structuredContent } = result;
  if (structuredContent === undefined) throw unusable(server, "it has no structuredContent");
  const problem = outputProblem({ outputSchema });
  if (problem !== undefined) throw unusable(server, problem);
  const checked = await validate(judgeOf(outputSchema as JsonObject), structuredContent);
  if (!checked.ok)
    throw unusable(server, `it does not match the tool's output schema: ${listedProblems(checked.problems)}`);
}

/** Returns why results of a tool cannot be checked by its output schema; `undefined` if they can. */
export function outputProblem({ outputSchema }: Pick<ListedTool, "outputSchema">): string | undefined {
  if (!isObject(outputSchema as Json)) return undefined;
  if (hasTooManyValues(outputSchema)) return `its output schema has ${TOO_MANY_VALUES}`;
  try {
    judgeOf(outputSchema as JsonObject);
    toJsonSchema(judgeOf(withoutPatterns(outputSchema as JsonObject)), "its results");
    return undefined;
  } catch (cause) {
    return `its output schema cannot be used: ${messageOf(cause).slice(0, 500)}`;
  }
}

function judgeOf({ $schema: _, ...schema }: JsonObject): Schema<JsonObject> {
  return untrustedSchema(schema);
}

/** Regular expressions are not run, and those of other languages may be invalid here. */
function withoutPatterns(schema: JsonObject): JsonObject {
  const keep = (key: string, value: Json) =>
    key === "pattern" && typeof value === "string" ? undefined : value;
  return JSON.parse(JSON.stringify(schema, keep));
}
