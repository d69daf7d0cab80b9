import type { Json, JsonObject } from "@pawl/core";
import { withoutHidden, withoutHiddenIn } from "@pawl/core/tools";
import { isObject, objectIn, own } from "../base/json.ts";
import { isVisible } from "../base/visible.ts";

/**
 * Returns the JSON Schema for what a user fills in. A form of MCP is flat: its fields are texts, numbers, yes
 * or no, and choices. Of the server's schema, only the keywords of the specification count, so that an
 * answer is validated in bounded time. `format` is for the page that shows the form.
 *
 * @throws TypeError that names a field which no form may have, e.g. one for a password
 */
export function formAnswer(form: JsonObject): JsonObject {
  const properties = objectIn(own(form, "properties"));
  const fields = Object.entries(properties).map(([name, field]): [string, JsonObject] => {
    const refuse = (why: string): never => {
      throw new TypeError(`its field ${JSON.stringify(withoutHidden(name).slice(0, 100))} ${why}`);
    };
    const answer = isObject(field) ? fieldAnswer(field) : undefined;
    if (answer === undefined || !isObject(field))
      return refuse("must be a string, number, integer or boolean, or a choice of one or more strings");
    if (isSecret(name, field)) refuse("asks for a secret, which only a page of the server may do");
    if (![name, ...choicesOf(answer)].every(isVisible)) refuse("has invisible characters");
    return [name, answer];
  });
  const required = textsIn(own(form, "required"));
  return { type: "object", properties: Object.fromEntries(fields), ...(required && { required }) };
}

/**
 * Returns a form as people see it: without invisible characters, also in the values with which its fields
 * begin. An answer need not be one of those.
 */
export function shownForm(form: JsonObject): JsonObject {
  const { properties, ...rest } = withoutHiddenIn(form);
  const fields = Object.entries(objectIn(properties)).map(([name, field]): [string, Json] => {
    const value = isObject(field) ? own(field, "default") : undefined;
    return [name, isObject(field) && value !== undefined ? { ...field, default: shownValue(value) } : field];
  });
  return { ...rest, ...(isObject(properties) && { properties: Object.fromEntries(fields) }) };
}

function shownValue(value: Json): Json {
  if (Array.isArray(value)) return value.map(shownValue);
  return typeof value === "string" ? withoutHidden(value) : value;
}

/** Matches the name or title of a field for a secret, in some languages. */
const SECRET =
  /pass[\s._-]?(wor[dt]|phrase|code)|kennwort|mot[\s._-]?de[\s._-]?passe|contrase[nñ]a|пароль|密[码碼]|パスワード/i;

/** Whether a field asks for a secret. The specification forbids it, because the answer is stored and read. */
function isSecret(name: string, field: JsonObject): boolean {
  const { title, format, writeOnly } = field;
  const texts = [name, title].filter((text) => typeof text === "string");
  const isNamedSo = texts.some((text) => SECRET.test(withoutHidden(text.normalize("NFKC"))));
  return format === "password" || writeOnly === true || isNamedSo;
}

/** Returns the values among which a field lets the user choose. */
function choicesOf(answer: JsonObject): string[] {
  return textsIn(own(answer, "enum")) ?? textsIn(own(objectIn(own(answer, "items")), "enum")) ?? [];
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
