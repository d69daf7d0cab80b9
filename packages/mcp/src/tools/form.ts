import type { Json, JsonObject } from "@pawl/core";
import { isObject, objectIn, own } from "../base/json.ts";

/**
 * Returns the JSON Schema for what a user fills in. A form of MCP is flat: its fields are texts, numbers, yes
 * or no, and choices. Of the server's schema, only the keywords of the specification count, so that an
 * answer is validated in bounded time. `format` is for the page that shows the form.
 *
 * @throws TypeError that names a field which no form may have
 */
export function formAnswer(form: JsonObject): JsonObject {
  const properties = objectIn(own(form, "properties"));
  const fields = Object.entries(properties).map(([name, field]): [string, JsonObject] => {
    const answer = isObject(field) ? fieldAnswer(field) : undefined;
    if (answer === undefined)
      throw new TypeError(
        `its field ${JSON.stringify(name.slice(0, 100))} must be a string, number, integer or boolean, or a choice of one or more strings`,
      );
    return [name, answer];
  });
  const required = textsIn(own(form, "required"));
  return { type: "object", properties: Object.fromEntries(fields), ...(required && { required }) };
}

function fieldAnswer(field: JsonObject): JsonObject | undefined {
  const type = own(field, "type");
  if (type === "boolean") return { type };
  if (type === "number" || type === "integer") return { type, ...numbersOf(field, ["minimum", "maximum"]) };
  if (type === "array") {
    const choice = choiceIn(objectIn(own(field, "items")));
    return choice && { type, items: choice, ...numbersOf(field, ["minItems", "maxItems"]) };
  }
  if (type !== "string") return undefined;
  return choiceIn(field) ?? { type, ...numbersOf(field, ["minLength", "maxLength"]) };
}

/** Returns the schema of a choice: of an `enum`, or of a list of constants with titles. */
function choiceIn(schema: JsonObject): JsonObject | undefined {
  const titled = own(schema, "oneOf") ?? own(schema, "anyOf");
  const values = Array.isArray(titled) ? titled.map((one) => objectIn(one).const) : own(schema, "enum");
  const choices = textsIn(values as Json);
  return choices && { type: "string", enum: choices };
}

function textsIn(value: Json | undefined): string[] | undefined {
  const isTexts = Array.isArray(value) && value.every((one) => typeof one === "string");
  return isTexts ? (value as string[]) : undefined;
}

function numbersOf(field: JsonObject, keywords: readonly string[]): JsonObject {
  const entries = keywords.flatMap((keyword) => {
    const value = own(field, keyword);
    return typeof value === "number" ? [[keyword, value] as const] : [];
  });
  return Object.fromEntries(entries);
}
