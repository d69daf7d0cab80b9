import { describe, expect, it } from "vitest";
import { jsonSchema, validate } from "../../src/index.ts";
import { lazyJsonSchema } from "../../src/schema/lazy-json-schema.ts";

const trip = {
  type: "object",
  properties: { city: { type: "string", minLength: 2 }, days: { $ref: "#/$defs/days" } },
  required: ["city"],
  additionalProperties: false,
  $defs: { days: { type: "integer", minimum: 1 } },
};

/** The outcome of a validation, also if it throws. */
const outcome = async (schema: () => ReturnType<typeof jsonSchema>, value: unknown) => {
  try {
    return await validate(schema(), value);
  } catch (error) {
    return error;
  }
};

describe("a JSON Schema whose validator is loaded when it is needed", () => {
  it.each([
    [trip, { city: "Oslo", days: 2 }],
    [trip, { city: "O", days: 0 }],
    [trip, { days: "two", more: [] }],
    [trip, null],
    [{}, null],
    [{}, { any: "thing" }],
    [{ not: {} }, 1],
    [{ $ref: "#/$defs/missing" }, 1],
  ])("U11 T1 judges as jsonSchema() does: %j, %j", async (schema, value) => {
    expect(await outcome(() => lazyJsonSchema(schema), value)).toEqual(
      await outcome(() => jsonSchema(schema), value),
    );
  });

  it.each([["text"], [null], [[]], [{ $ref: "http://[" }]])(
    "U11 T1 refuses the schema %j with the error of jsonSchema()",
    async (schema) => {
      const refused = await outcome(() => jsonSchema(schema as never), 1);
      expect(refused).toMatchObject({ code: "config" });
      expect(await outcome(() => lazyJsonSchema(schema as never), 1)).toEqual(refused);
    },
  );

  it("U11 T1 describes itself, and validates any number of values", async () => {
    const schema = lazyJsonSchema(trip);
    expect(schema["~standard"].jsonSchema.input({ target: "draft-2020-12" })).toEqual(trip);
    const cities = await Promise.all(["Oslo", "Bergen", ""].map((city) => validate(schema, { city })));
    expect(cities.map(({ ok }) => ok)).toEqual([true, true, false]);
  });
});
