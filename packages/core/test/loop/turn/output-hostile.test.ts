import type { Reply } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { assertRebuilds } from "../../../../../test/support/rebuild.ts";
import { settled } from "../../../../../test/support/settled.ts";
import { type Json, jsonSchema, validate } from "../../../src/index.ts";
import { type Options, setup } from "../../support/setup.ts";
import { echoTool } from "../../support/tools.ts";

const WAYS = [
  ["by its output format", { outputFormat: true }],
  ["by a forced tool", { outputFormat: false }],
  ["by a tool that it cannot be forced to call", { outputFormat: false, model: "claude-opus-5-5" }],
] as const;
const world = (script: Reply[], more: object = {}, options: Options = {}) =>
  setup({ script, ...more }, { tools: [echoTool], ...options });

type Node = { name: string; children: Node[] };
const node: z.ZodType<Node> = z.lazy(() => z.object({ name: z.string(), children: z.array(node) }));
const tree = { name: "a", children: [{ name: "b", children: [] }] };
const place = z.object({ lat: z.number(), lon: z.number() }).meta({ id: "Place" });
const deep = (levels: number): Json => (levels === 0 ? 1 : [deep(levels - 1)]);

describe.each(WAYS)("an output of a strange schema, %s", (_, more) => {
  it.each<[string, unknown, Json, Json?]>([
    ["a recursive schema", node, tree],
    ["a list of a recursive schema", z.array(node), [tree]],
    [
      "a registered id, used twice",
      z.object({ from: place, to: place }),
      { from: { lat: 1, lon: 2 }, to: { lat: 3, lon: 4 } },
    ],
    ["a list of a registered id", z.array(place), [{ lat: 1, lon: 2 }]],
    ["a registered id at the root", place, { lat: 1, lon: 2 }],
    [
      "a union at the root",
      z.discriminatedUnion("t", [
        z.object({ t: z.literal("a"), x: z.int() }),
        z.object({ t: z.literal("b") }),
      ]),
      { t: "a", x: 1 },
    ],
    [
      "a union of objects with the field value",
      z.union([z.object({ value: z.string() }), z.string()]),
      { value: { value: "x" } },
      { value: "x" },
    ],
    ["an intersection", z.intersection(z.object({ a: z.int() }), z.object({ b: z.int() })), { a: 1, b: 2 }],
    ["an array", z.array(z.string()), ["a"]],
    ["an empty array", z.array(z.string()), []],
    ["a string", z.string(), "x"],
    ["an empty string", z.string(), ""],
    ["null", z.null(), null],
    ["a boolean", z.boolean(), false],
    ["an enum", z.enum(["a", "b"]), "a"],
    ["a mixed literal", z.object({ a: z.literal(["x", 1, null]) }), { a: 1 }],
    ["a tuple", z.object({ a: z.tuple([z.string(), z.number()]) }), { a: ["x", 1] }],
    ["any value", z.any(), { x: [1] }],
    ["a record", z.record(z.string(), z.number()), { "😀": 1 }],
    [
      "unicode keys",
      z.object({ größe: z.number(), "日本 語": z.string(), 'q"\\': z.string() }),
      { größe: 1, "日本 語": "x", 'q"\\': "y" },
    ],
    [
      "a key __proto__",
      jsonSchema({ type: "object", additionalProperties: { type: "number" } }),
      JSON.parse('{"__proto__":1,"constructor":2}'),
    ],
    [
      "a field __proto__",
      jsonSchema(
        JSON.parse(
          '{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"string"}},"required":["__proto__"]}',
        ),
      ),
      JSON.parse('{"__proto__":"x","constructor":"y"}'),
    ],
    ["defaults", z.object({ a: z.string().default("d"), b: z.int().prefault(3) }), {}, { a: "d", b: 3 }],
    ["a transform to undefined", z.string().transform(() => undefined), "x", null],
    ["a transform to a list", z.string().transform((text) => [...text]), "ab", ["a", "b"]],
    ["a pipe", z.string().pipe(z.coerce.number()), "12", 12],
    [
      "a codec",
      z.object({
        at: z.codec(z.iso.datetime(), z.date(), {
          decode: (text) => new Date(text),
          encode: (at) => at.toISOString(),
        }),
      }),
      { at: "2026-11-23T00:00:00Z" },
      { at: "2026-11-23T00:00:00.000Z" },
    ],
    ["a transform to a map", z.string().transform(() => new Map([["a", 1]])), "x", {}],
    [
      "an async refinement",
      z.object({
        a: z.string().refine(async (a) => {
          await settled();
          return a === "x";
        }),
      }),
      { a: "x" },
    ],
    [
      "a megabyte",
      z.object({ a: z.array(z.string()) }),
      { a: Array.from({ length: 200 }, () => "x".repeat(1_000)) },
    ],
    ["many levels", z.any(), { a: deep(120) }],
  ])("F2 takes %s", async (_what, output, value, stored = value) => {
    const test = world([{ output: value }], more, { output: output as never, maxTokens: 60_000 });
    const result = await test.say("?");
    expect(test.model.rejected).toEqual([]);
    expect(result.stop.type).toBe("end_turn");
    expect(result.output).toEqual(stored);
    await assertRebuilds([await test.log(result.sessionId)], test.model.requests as never);
  });

  it.each<[string, unknown]>([
    ["a bigint", z.string().transform(() => 1n)],
    [
      "a cycle",
      z.string().transform(() => {
        const a: { a?: object } = {};
        a.a = a;
        return a;
      }),
    ],
    ["too many levels", z.string().transform(() => deep(600))],
    [
      "a failure",
      z.string().refine(() => {
        throw new Error("no");
      }),
    ],
  ])("F2 ends with a typed reason after a transform to %s", async (_what, output) => {
    const test = setup(
      { script: [{ output: "x" }, { output: "x" }], ...more },
      { output: output as never },
      { onError: () => undefined },
    );
    const result = await test.say("?");
    expect(result.stop.type).toBe("invalid_output");
    expect(result).not.toHaveProperty("output");
  });
});

it("F2 keeps the references of a schema that moves into a field", async () => {
  const { agent: made } = world([], { outputFormat: false }, { output: z.array(node) });
  const sent = jsonSchema(made.output?.spec.input_schema as never);
  expect(await validate(sent, { value: [tree] })).toMatchObject({ ok: true });
  expect(await validate(sent, { value: [{ name: "a", children: [5] }] })).toMatchObject({ ok: false });
});
