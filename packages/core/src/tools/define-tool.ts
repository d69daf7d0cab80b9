import { PawlError } from "../base/errors.ts";
import type { Json } from "../base/json.ts";
import { shortenedFields } from "../context/shorten-input.ts";
import type { ShortenInput } from "../log/event-parts.ts";
import type { SessionStatus } from "../log/session-row.ts";
import type { Infer, Schema } from "../schema/schema.ts";
import { toJsonSchema } from "../schema/to-json-schema.ts";
import { checkToolOptions } from "./check-tool.ts";
import { type Expiry, storedExpiry } from "./expiry.ts";
import type { NoAnswer, StoredQuestion, Suspends } from "./suspends.ts";
import type { Tool } from "./tool.ts";
import type { ToolOptions } from "./tool-options.ts";

/**
 * Defines a tool. The type of the input of `execute` is inferred from the `input` schema.
 *
 * @throws PawlError `config` for an unknown, missing or invalid option, and if:
 *
 * - the input is not an object, or a schema cannot be expressed as JSON Schema
 * - `shortenInput` names a field that the input does not have
 * - the tool has none of `execute`, `suspends` and `runsIn`
 * - `runsIn` is together with `execute`, `suspends`, `timeoutMs` or `idempotent`
 *
 * @example
 * ```ts
 * import { tool } from "@pawl/core";
 * import * as z from "zod";
 *
 * const add = tool({
 *   name: "add",
 *   description: "Adds two numbers.",
 *   input: z.object({ a: z.number(), b: z.number() }),
 *   execute: ({ a, b }) => a + b,
 * });
 *
 * const confirm = tool({
 *   name: "confirm",
 *   description: "Asks the user for a yes or no, and waits for it.",
 *   input: z.object({ question: z.string() }),
 *   suspends: { answer: z.object({ yes: z.boolean() }) },
 * });
 *
 * // A page runs it: `useAgent({ tools: { locate: { execute } } })` of `@pawl/client`.
 * const locate = tool({
 *   name: "locate",
 *   description: "Returns the city where the user is.",
 *   input: z.object({}),
 *   runsIn: "client",
 *   output: z.object({ city: z.string() }),
 * });
 * console.log(add.spec.input_schema.type, confirm.name, locate.runsIn); // object confirm client
 * ```
 */
export function tool<
  I,
  A = NoAnswer,
  Deps = unknown,
  Name extends string = string,
  Result = Infer<A>,
  Ends extends boolean | SessionStatus = false,
  Kind extends string = Name,
  Payload extends Json = never,
>(
  options: ToolOptions<I, A, Deps, Name, Result, Ends, Kind, Payload>,
): Tool<
  Deps,
  {
    name: Name;
    input: I;
    result: Result;
    output: Ends extends false ? never : Result;
    kind: Kind;
    payload: Payload;
    answer: A;
  }
> {
  checkToolOptions(options);
  const { name, description, input, execute, suspends, format, status = {}, category, timeoutMs } = options;
  const { idempotent = false, endsRun = false, maxResultChars, shortenInput } = options;
  const { repeatable, dependsOn = [] } = options;
  const inputSchema = toJsonSchema(input as Schema, `the tool "${name}"`);
  if (inputSchema.type !== "object") {
    throw new PawlError("config", `The input schema of the tool "${name}" must describe an object.`);
  }
  const asked = (options.runsIn === undefined ? suspends : askedOfPage(options)) as Suspends<unknown, Schema>;
  if (asked) questions.set(asked, storedQuestion(name, asked, options.runsIn));
  return {
    name,
    spec: { name, description, input_schema: inputSchema },
    input: input as Schema,
    category,
    status,
    timeoutMs,
    maxResultChars,
    shortenInput: shortenedFields(shortenInput as ShortenInput | undefined, name, inputSchema),
    idempotent,
    repeatable,
    dependsOn,
    endsRun,
    suspends: asked as Suspends<unknown, Schema> | undefined,
    ...(options.runsIn && { runsIn: options.runsIn }),
    ...(execute && { execute: execute as Tool<Deps>["execute"] & {} }),
    ...(format && { format }),
  };
}

/** The questions of all tools as they are stored. An application may copy a tool with another `suspends`. */
const questions = new WeakMap<object, StoredQuestion>();

/** Returns the fields of a tool's question as they are stored. @throws PawlError `config` */
export function storedQuestionOf({ name, suspends, runsIn }: Tool): StoredQuestion {
  const asked = suspends as Suspends<unknown, Schema>;
  return questions.get(asked) ?? storedQuestion(name, asked, runsIn);
}

/** Checks a tool's question, and returns its fields as they are stored. @throws PawlError `config` */
function storedQuestion(
  name: string,
  { answer, expires }: Suspends<unknown, Schema>,
  runsIn: Tool["runsIn"],
): StoredQuestion {
  const whose = runsIn ? `\`output\` of tool("${name}")` : `answers to "${name}"`;
  const expiry = expires && storedExpiry(`tool("${name}")`, expires, answer, "config");
  return { answer_schema: toJsonSchema(answer, whose), ...(expiry && { expires: expiry }) };
}

/** Returns the question of a tool that a page runs. The page answers it with the tool's result. */
function askedOfPage({ output = anyJson, expires }: { output?: unknown; expires?: Expiry }) {
  return { answer: output, ...(expires && { expires }) };
}

/** Accepts every value, e.g. as the result of a page's tool without an `output`. */
export const anyJson: Schema<Json> = {
  "~standard": {
    version: 1,
    vendor: "pawl",
    validate: (value) => ({ value: value as Json }),
    jsonSchema: { input: () => ({}), output: () => ({}) },
  },
};
