import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/index.ts";
import { resolveSchema } from "../../src/schema/resolve-schema.ts";

/** Returns where the references of a schema lead, in the order of the schemas. */
const targets = (schema: JsonObject) => [...resolveSchema(schema).targets.values()];

const here = { title: "here" };

describe("references in a schema", () => {
  it.each<[string, JsonObject]>([
    ["a definition", { $defs: { a: here }, $ref: "#/$defs/a" }],
    ["an escaped name", { $defs: { "a/b~c%": here }, $ref: "#/$defs/a~1b~0c%25" }],
    ["an encoded name", { properties: { "é ^": here }, $ref: "#/properties/%C3%A9%20%5e" }],
    ["a name that is not encoded", { properties: { "é ^": here }, $ref: "#/properties/é ^" }],
    ["a name with a broken code", { properties: { "100%": here }, $ref: "#/properties/100%" }],
    ["an item of a list", { anyOf: [{}, here], $ref: "#/anyOf/1" }],
    ["an unknown keyword", { places: { a: here }, $ref: "#/places/a" }],
    ["an anchor", { $defs: { a: { ...here, $anchor: "x" } }, $ref: "#x" }],
    ["a dynamic anchor", { $defs: { a: { ...here, $dynamicAnchor: "x" } }, $ref: "#x" }],
    ["an anchor as an id", { definitions: { a: { ...here, $id: "#x" } }, $ref: "#x" }],
    ["an id", { $id: "https://a.example/b/c", $defs: { a: { ...here, $id: "d" } }, $ref: "/b/d" }],
    ["an id of older drafts", { definitions: { a: { ...here, id: "d" } }, $ref: "d" }],
    ["an anchor in an id", { $defs: { a: { $id: "d", items: { ...here, $anchor: "x" } } }, $ref: "d#x" }],
    [
      "a place inside of an id",
      { $defs: { a: { $id: "d", items: { not: { $ref: "#/items/if" }, if: here } } } },
    ],
    ["a place across an id", { $defs: { a: { $id: "d", items: here } }, $ref: "#/$defs/a/items" }],
  ])("lead to %s", (_, schema) => {
    expect(targets(schema)).toEqual([expect.objectContaining(here)]);
  });

  it("lead to the whole document, and to booleans", () => {
    expect(targets({ ...here, items: { $ref: "#" } })).toMatchObject([here]);
    expect(targets({ $defs: { a: { $id: "d", ...here, items: { $ref: "" } } } })).toMatchObject([here]);
    expect(targets({ $defs: { a: false }, $ref: "#/$defs/a" })).toEqual([false]);
  });

  it.each(["#/$defs", "#/$defs/b", "#/required/0", "#/const/a", "#x", "b.json", "#/$defs/a/toString"])(
    "lead to nothing: %s",
    ($ref) => {
      const data = { const: { a: {} }, required: ["a"] };
      expect(targets({ ...data, $defs: { a: {} }, items: { $ref } })).toEqual([undefined]);
    },
  );

  it("are refused if they are no URI, or if two schemas have one id", () => {
    expect(() => resolveSchema({ $ref: "http://[" })).toThrow("Invalid URL");
    expect(() => resolveSchema({ anyOf: [{ $id: "a" }, { $id: "a" }] })).toThrow("the $id");
  });
});

it("B7 reads each schema once, also inside of ids in ids", () => {
  let schema: JsonObject = { allOf: Array.from({ length: 1_000 }, () => ({ $ref: "#" })) };
  for (let level = 0; level < 30; level += 1) schema = { $id: `d${level}`, properties: { a: schema } };
  const { parts, targets: found } = resolveSchema(schema);
  expect(parts).toHaveLength(1_031);
  expect([...new Set(found.values())]).toMatchObject([{ $id: "d0" }]);
});
