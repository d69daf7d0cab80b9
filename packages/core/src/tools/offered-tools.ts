import { PawlError } from "../base/errors.ts";
import { excessOf } from "../base/excess.ts";
import { isJsonObject, type Json, type JsonObject, toJson } from "../base/json.ts";
import { sanitize } from "../context/sanitize.ts";
import { FINAL_ANSWER } from "../log/final-answer.ts";
import type { ToolSpec } from "../model/content.ts";
import { refuseLongNames } from "../schema/long-names.ts";
import type { Schema } from "../schema/schema.ts";
import { tool } from "./define-tool.ts";
import type { Tool } from "./tool.ts";

// Limits of the tools that a client adds to every request of its session.
const MOST_TOOLS = 64;
const MOST_CHARS = 64_000;
const MOST_DESCRIPTION_CHARS = 4_000;
const MOST_NESTED = 32;

/** The beginning of each description. It tells the model that the page wrote the text. */
const FROM_PAGE = "A tool of the user's page, described by that page:";

/** Names of properties that every object inherits, e.g. `constructor`. A tool must not have one. */
const INHERITED: ReadonlySet<string> = new Set(Object.getOwnPropertyNames(Object.prototype));

/** The fields of an agent by which a client's tools are checked. */
export interface AcceptingAgent {
  readonly clientTools?: boolean;
  readonly tools: ReadonlyMap<string, Pick<Tool, "suspends">>;
  /** The tags of results, see `AgentOptions.resultTag`. */
  readonly resultTags: readonly string[];
  readonly hooks: readonly { readonly tags?: readonly string[] }[];
}

/**
 * Checks the tools that a client offers and returns them in the form in which the model gets them. Texts in
 * them cannot open or close Pawl's tags.
 *
 * @throws PawlError `invalid_input` if the agent does not allow them, or if one of them is invalid.
 */
export function checkedOffer(agent: AcceptingAgent, offer: unknown): ToolSpec[] {
  if (!Array.isArray(offer)) throw offerError("`clientTools` must be a list of tools.");
  if (offer.length === 0) return [];
  if (!agent.clientTools)
    throw offerError(
      "This agent accepts no tools from clients. Set `clientTools: true` of agent() to allow them.",
    );
  if (offer.length > MOST_TOOLS) throw offerError(`A client may offer at most ${MOST_TOOLS} tools.`);
  const index = offer.findIndex((one) => isLibrarySchema(Object(one).inputSchema));
  if (index >= 0)
    throw offerError(
      `The \`inputSchema\` of \`clientTools[${index}]\` must be a JSON Schema, not a schema of zod or another library. Convert it with toJsonSchema().`,
    );
  const excess = excessOf(offer, { levels: MOST_NESTED, values: MOST_CHARS });
  if (excess === "levels")
    throw offerError(`A client's tools may be nested at most ${MOST_NESTED} levels deep.`);
  const text = excess === undefined ? JSON.stringify(offer) : undefined;
  if (text === undefined || text.length > MOST_CHARS)
    throw offerError(`A client's tools may have at most ${MOST_CHARS} characters as JSON.`);
  if (/"__proto__":/.test(text))
    throw offerError("A client's tools must not have a property named __proto__.");
  const tags = [...agent.resultTags, ...agent.hooks.flatMap((hook) => hook.tags ?? [])];
  const specs = offer.map((one) => specFrom(one, (part) => sanitize(part, { tags })));
  const seen = new Set<string>();
  for (const { name } of specs) {
    if (seen.has(name)) throw offerError(`Two of the client's tools are named "${name}".`);
    seen.add(name);
    refuseTaken(agent, name);
  }
  return specs;
}

/**
 * Refuses a client's tool if the agent has a tool of that name that runs in this process, or if it is named
 * `final_answer`. A page may offer a tool of the agent that it runs or answers. The agent's description and
 * schema then count, not the page's.
 *
 * @throws PawlError `invalid_input`
 */
export function refuseTaken({ tools }: Pick<AcceptingAgent, "tools">, name: string): void {
  const own = tools.get(name);
  if (name === FINAL_ANSWER || (own !== undefined && own.suspends === undefined))
    throw offerError(
      `A client must not offer a tool named "${name}": the agent has one of that name. If it runs in the page, leave out its \`description\` there.`,
    );
}

/** Makes a client's tools from their stored form. */
export function offeredTools(specs: readonly ToolSpec[]): Tool[] {
  return specs.map((spec) => {
    const { name, description, input_schema } = spec;
    // A page's state changes between calls, so a repeated call is no mistake.
    const made = { name, description, input: unchecked(input_schema), repeatable: true };
    return { ...tool({ ...made, runsIn: "client" }), spec, offered: true };
  });
}

/** Checks one offered tool, and returns it in the form in which the model gets it. */
function specFrom(offered: unknown, clean: (text: string) => string): ToolSpec {
  if (!isJsonObject(offered)) throw offerError("Each of the client's tools must be an object with a `name`.");
  const { name, description = "", inputSchema = { type: "object", properties: {} }, ...others } = offered;
  if (typeof name !== "string") throw offerError("Each of the client's tools must have a `name`, a string.");
  const whose = `the client's tool ${JSON.stringify(name.slice(0, 64))}`;
  if (INHERITED.has(name)) throw offerError(`The name of ${whose} is reserved. Choose another one.`);
  const [unknown] = Object.keys(others);
  if (unknown !== undefined)
    throw offerError(
      `${JSON.stringify(unknown.slice(0, 64))} is not a field of ${whose}; use \`name\`, \`description\` and \`inputSchema\`.`,
    );
  if (typeof description !== "string" || description.length > MOST_DESCRIPTION_CHARS)
    throw offerError(
      `The description of ${whose} must be a text of at most ${MOST_DESCRIPTION_CHARS} characters.`,
    );
  if (!isJsonObject(inputSchema)) throw offerError(`The \`inputSchema\` of ${whose} must be a JSON Schema.`);
  try {
    refuseLongNames(inputSchema);
    // Checks the name and the schema like those of any other tool.
    const input = unchecked(cleaned(toJson(inputSchema), clean) as JsonObject);
    return tool({ name, description: `${FROM_PAGE} ${clean(description)}`, input, runsIn: "client" }).spec;
  } catch (cause) {
    if (!PawlError.is(cause, "config")) throw cause;
    throw offerError(`${whose.replace("the client's", "The client's")} cannot be used: ${cause.message}`);
  }
}

/** Returns whether a value is a schema of a library, also a schema of zod that was sent as JSON. */
function isLibrarySchema(schema: unknown): boolean {
  const fields = Object(schema) as { [field: string]: unknown };
  const isOfZod = typeof Object(fields.def).type === "string" || "_zod" in fields || "_def" in fields;
  return isOfZod || "~standard" in fields;
}

/**
 * Returns a schema that describes itself to the model and accepts every object. Inputs are not validated by a
 * client's schema, because that could take any amount of time. The page validates them.
 */
function unchecked(schema: JsonObject): Schema<JsonObject> {
  const described = () => schema;
  const validate = (value: unknown) =>
    isJsonObject(value) ? { value } : { issues: [{ message: "must be an object" }] };
  return {
    "~standard": {
      version: 1,
      vendor: "pawl",
      validate,
      jsonSchema: { input: described, output: described },
    },
  };
}

/**
 * Applies `clean` to all texts in a value. Names of fields stay, because a schema refers to its fields by
 * name.
 *
 * @throws PawlError `invalid_input` for a field whose name `clean` would change.
 */
function cleaned(value: Json, clean: (text: string) => string): Json {
  if (typeof value === "string") return clean(value);
  if (Array.isArray(value)) return value.map((part) => cleaned(part, clean));
  if (!isJsonObject(value)) return value;
  const wrong = Object.keys(value).find((key) => clean(key) !== key);
  if (wrong !== undefined)
    throw offerError(
      `${JSON.stringify(wrong.slice(0, 64))} in a client's schema is not a valid property name: it has a tag of the prompt, or half a surrogate pair.`,
    );
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, cleaned(part, clean)]));
}

function offerError(message: string): PawlError {
  return new PawlError("invalid_input", message);
}
