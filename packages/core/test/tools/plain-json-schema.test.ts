import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { processorTime } from "../../../../test/support/processor-time.ts";
import { type Json, type JsonObject, jsonSchema, validate } from "../../src/index.ts";
import { plainJsonSchema } from "../../src/tools.ts";

const rank = { title: "Rank", type: "string", enum: ["gold", "champion"] };

describe("T10 plainJsonSchema()", () => {
  it("removes titles of schemas, and keeps properties and values with that name", () => {
    const schema = {
      title: "Input",
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      properties: { title: { title: "Title", type: "string", default: { title: "x" } } },
      required: ["title"],
    };
    expect(plainJsonSchema(schema)).toEqual({
      type: "object",
      properties: { title: { type: "string", default: { title: "x" } } },
      required: ["title"],
    });
    expect(schema.title).toBe("Input");
  });

  it("puts definitions in the place of references, with what stands beside the reference", () => {
    const schema = {
      type: "object",
      properties: {
        one: { allOf: [{ $ref: "#/$defs/Rank" }], default: "gold", description: "Yours." },
        two: { $ref: "#/$defs/Rank", description: "Theirs." },
        three: { type: "array", items: { $ref: "#/definitions/a~1b%20c" } },
      },
      $defs: { Rank: rank },
      definitions: { "a/b c": { $ref: "#/$defs/Rank" } },
    };
    expect(plainJsonSchema(schema)).toEqual({
      type: "object",
      properties: {
        one: { type: "string", enum: ["gold", "champion"], default: "gold", description: "Yours." },
        two: { type: "string", enum: ["gold", "champion"], description: "Theirs." },
        three: { type: "array", items: { type: "string", enum: ["gold", "champion"] } },
      },
    });
  });

  it("keeps references to definitions that contain themselves, and moves them with the schema", () => {
    const node = {
      title: "Node",
      type: "object",
      properties: { of: { $ref: "#/$defs/Rank" }, next: { $ref: "#/$defs/Node" } },
    };
    const schema = { $ref: "#/$defs/Node", $defs: { Node: node, Rank: rank, Unused: rank } };
    const plainRank = { type: "string", enum: ["gold", "champion"] };
    const kept = { type: "object", properties: { of: plainRank, next: { $ref: "#/$defs/Node" } } };
    expect(plainJsonSchema(schema)).toEqual({ ...kept, $defs: { Node: kept } });
    const moved = plainJsonSchema(schema, "#/components/schemas/T");
    expect(moved.properties).toMatchObject({ next: { $ref: "#/components/schemas/T/$defs/Node" } });
  });

  it.each<[string, JsonObject]>([
    [
      "keywords differ",
      { type: "object", properties: { a: { type: "string" } }, allOf: [{ properties: {} }] },
    ],
    [
      "a keyword depends on those beside it",
      { properties: { a: {} }, allOf: [{ additionalProperties: false }] },
    ],
    ["there are two", { allOf: [{ minProperties: 1 }, { maxProperties: 2 }] }],
  ])("keeps an allOf where %s", (_, schema) => {
    expect(plainJsonSchema(schema)).toEqual(schema);
  });

  it("leaves references alone that lead elsewhere", () => {
    const schema = {
      type: "object",
      properties: { a: { $ref: "#/$defs/A" }, b: { $ref: "#/properties/a" } },
      $defs: { A: rank },
    };
    const { title: _, ...untitled } = rank;
    expect(plainJsonSchema(schema)).toEqual({ ...schema, $defs: { A: untitled } });
  });

  it("does not grow without bound", () => {
    const $defs: JsonObject = { D0: { type: "string" } };
    for (let n = 1; n < 40; n += 1)
      $defs[`D${n}`] = {
        type: "object",
        properties: { a: { $ref: `#/$defs/D${n - 1}` }, b: { $ref: `#/$defs/D${n - 1}` } },
      };
    const schema = { type: "object", properties: { x: { $ref: "#/$defs/D39" } }, $defs };
    expect(plainJsonSchema(schema)).toEqual(schema);
  });

  it("accepts what the schema accepts", async () => {
    const names = ["A", "B", "C"];
    const leaf = fc.constantFrom<Json>(
      { type: "string", title: "T" },
      { type: "integer", minimum: 2 },
      { enum: ["x", 3, null] },
      ...names.map((name) => ({ $ref: `#/$defs/${name}` })),
    );
    const { schema } = fc.letrec<{ schema: Json }>((tie) => ({
      schema: fc.oneof(
        { maxDepth: 3, withCrossShrink: true },
        leaf,
        fc.record({ allOf: fc.array(tie("schema"), { minLength: 1, maxLength: 2 }) }),
        fc.record({
          allOf: fc.tuple(tie("schema")),
          type: fc.constant("object"),
          minProperties: fc.constant(1),
        }),
        fc.record(
          {
            type: fc.constant("object"),
            properties: fc.record({ a: tie("schema"), title: tie("schema") }),
            additionalProperties: fc.constant(false),
            allOf: fc.tuple(tie("schema")),
          },
          { requiredKeys: ["properties"] },
        ),
        fc.record({ type: fc.constant("array"), items: tie("schema") }),
        fc.record({ anyOf: fc.tuple(tie("schema"), tie("schema")) }),
      ),
    }));
    const { value } = fc.letrec<{ value: Json }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 2 },
        fc.constantFrom<Json>("x", "other", 1, 3, null),
        fc.dictionary(fc.constantFrom("a", "title", "c"), tie("value"), { maxKeys: 2 }) as fc.Arbitrary<Json>,
        fc.array(tie("value"), { maxLength: 2 }) as fc.Arbitrary<Json>,
      ),
    }));
    // Definitions refer to earlier ones and, within a property, to themselves.
    const inside = (name: string) => ({ type: "object", properties: { a: { $ref: `#/$defs/${name}` } } });
    await fc.assert(
      fc.asyncProperty(
        schema,
        fc.boolean(),
        fc.array(value, { minLength: 5 }),
        async (part, cyclic, values) => {
          const $defs = {
            A: { title: "A", type: ["string", "object"], additionalProperties: false, properties: { a: {} } },
            B: { allOf: [{ $ref: "#/$defs/A" }], description: "b" },
            C: cyclic ? inside("C") : inside("B"),
          };
          const whole = { type: "object", properties: { a: part, c: part }, $defs } as JsonObject;
          const simple = plainJsonSchema(whole);
          for (const one of [...values, ...values.map((a) => ({ a })), { c: values[0] ?? 1 }]) {
            const [before, after] = await Promise.all(
              [whole, simple].map((s) => validate(jsonSchema(s), one)),
            );
            expect([one, after?.ok]).toEqual([one, before?.ok]);
          }
        },
      ),
      { numRuns: 150 },
    );
  });

  it("keeps what stands beside a reference that stays", () => {
    const $defs = { Tree: { type: "array", items: { $ref: "#/$defs/Tree" } } };
    const beside = { $ref: "#/$defs/Tree", description: "A tree.", minItems: 1 };
    const schema: JsonObject = { type: "object", properties: { a: beside }, $defs };
    expect(plainJsonSchema(schema)).toEqual(schema);
  });

  it("takes little time for definitions that all lead to each other, and keeps too many of them", async () => {
    const schemaOf = (layers: number, width: number): JsonObject => ({
      type: "object",
      properties: { a: { $ref: "#/$defs/0-0" } },
      $defs: Object.fromEntries(
        Array.from({ length: layers * width }, (_, n): [string, JsonObject] => {
          const [layer, at] = [Math.floor(n / width), n % width];
          const below = layer === layers - 1 ? "" : `${layer + 1}-${at}`;
          const beside = { items: { $ref: `#/$defs/${layer}-${(at + 1) % width}` } };
          return [`${layer}-${at}`, below === "" ? beside : { ...beside, not: { $ref: `#/$defs/${below}` } }];
        }),
      ),
    });
    const spentMs = processorTime();
    for (const schema of [schemaOf(10, 20), schemaOf(20, 150), schemaOf(1, 3_000), schemaOf(1_000, 1)]) {
      const simple = plainJsonSchema({ title: "Many", ...schema });
      expect(simple.title).toBeUndefined();
      expect(simple.$defs).toBeDefined();
    }
    expect(spentMs()).toBeLessThan(4_000);
  });
});
