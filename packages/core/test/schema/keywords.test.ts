import { isDeepStrictEqual } from "node:util";
import {
  registerSchema,
  unregisterSchema,
  validate as validateByHyperjump,
} from "@hyperjump/json-schema/draft-2020-12";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { type Json, type JsonObject, jsonSchema, tool, validate } from "../../src/index.ts";
import { untrustedSchema } from "../../src/tools.ts";
import { COMBINED } from "./combined-cases.ts";
import { CASES } from "./keyword-cases.ts";

// Two validators that others write judge the same cases. Ajv is not strict: strictness is about style.
const ajv = new Ajv2020({ strict: false, validateFormats: false, logger: false, ownProperties: true });

const DIALECT = "https://json-schema.org/draft/2020-12/schema";

let registered = 0;

/** Returns a function that judges by hyperjump's validator. A schema that it refuses is an error. */
async function byHyperjump(schema: JsonObject): Promise<(value: Json) => boolean> {
  registered += 1;
  const { $id } = schema;
  const address = typeof $id === "string" ? $id : `https://cases.example/${registered}`;
  registerSchema(schema as never, $id === undefined ? address : undefined, DIALECT);
  const judge = await validateByHyperjump(address);
  unregisterSchema(address);
  return (value) => judge(value as never).valid;
}

/** Whether a schema has what is not judged for strangers: only the servers that write them run patterns. */
const hasPatterns = (schema: JsonObject) => /"pattern(Properties)?":/.test(JSON.stringify(schema));

/**
 * Values that Ajv takes for valid and hyperjump's validator refuses, as the specification says: `contains`
 * evaluates only the items that match, and `if` none of a value that does not match.
 */
const AJV_ACCEPTS: readonly Json[] = [[1, null], [2]];

const isAjvWrong = (schema: JsonObject, value: Json) =>
  Object.hasOwn(schema, "unevaluatedItems") && AJV_ACCEPTS.some((one) => isDeepStrictEqual(one, value));

/** Names a schema by its JSON, so that a failure shows it. */
const named = Object.entries({ ...CASES, ...COMBINED }).flatMap(([keyword, cases]) =>
  cases.map(([schema, values]) => ({ keyword, schema, values, text: JSON.stringify(schema) })),
);

describe("the judge of JSON Schema agrees with two other validators", () => {
  it.each(named)("B10 $keyword: $text", async ({ schema, values }) => {
    const ajvJudge = ajv.compile(structuredClone(schema));
    const hyperjumpJudge = await byHyperjump(structuredClone(schema));
    const own = jsonSchema(schema);
    const stranger = untrustedSchema(schema);
    // `tool()` takes it: nothing in it is refused by name.
    const input = schema.type === "object" ? own : jsonSchema({ type: "object", properties: {} });
    tool({ name: "t", description: "T.", input, execute: () => "" });
    for (const value of values) {
      const wanted = hyperjumpJudge(value);
      const byAjv = isAjvWrong(schema, value) ? wanted : ajvJudge(value);
      expect({ value, valid: byAjv }).toEqual({ value, valid: wanted });
      expect({ value, valid: (await validate(own, value)).ok }).toEqual({ value, valid: wanted });
      const { ok } = await validate(stranger, value);
      // A stranger's patterns accept everything, so that nothing valid is refused.
      if (!hasPatterns(schema)) expect({ value, stranger: ok }).toEqual({ value, stranger: wanted });
      else if (wanted) expect({ value, stranger: ok }).toEqual({ value, stranger: true });
    }
  });
});

describe("the judge of JSON Schema differs from other validators on purpose", () => {
  it.each<[string, JsonObject]>([
    ["$dynamicRef", { items: { $dynamicRef: "#x" }, $defs: { x: { $dynamicAnchor: "x" } } }],
    ["other.json", { items: { $ref: "other.json" } }],
    ["made-up", { items: { $ref: "#made-up" } }],
  ])("B10 tool() refuses by name what is not evaluated: %s", (name, part) => {
    const input = jsonSchema({ type: "object", properties: { a: part } });
    expect(() => tool({ name: "t", description: "T.", input, execute: () => "" })).toThrow(name);
  });

  it("B10 judges `format` in an app's schema, and not in a stranger's", async () => {
    const schema: JsonObject = { type: "string", format: "date" };
    expect((await validate(jsonSchema(schema), "soon")).ok).toBe(false);
    expect((await validate(untrustedSchema(schema), "soon")).ok).toBe(true);
  });
});
