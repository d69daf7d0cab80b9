import { type Json, type JsonObject, jsonSchema, tool, validate } from "@pawl/core";
import { toolHandler } from "@pawl/remote/server";
import { Validator } from "@seriousme/openapi-schema-validator";
import { expect, it } from "vitest";
import * as z from "zod";
import { jsonOf } from "../support/served.ts";

const category = z.object({
  name: z.string(),
  get children() {
    return z.array(category);
  },
});
const tools = [
  tool({ name: "tree", description: "A tree.", input: category, execute: () => 1 }),
  tool({
    name: "add-2",
    description: "Adds.",
    input: z.object({ a: z.number(), b: z.number().default(1) }),
    idempotent: true,
    status: { done: "Added" },
    execute: ({ a, b }, { report }) => {
      report({ costUsd: 0.1, fragments: ["f"] });
      if (a < 0) throw new Error("Not below 0.");
      return a + b;
    },
  }),
  tool({
    name: "slow",
    description: "Takes its time.",
    input: z.object({}),
    timeoutMs: 10,
    dependsOn: ["tree"],
    endsRun: "completed",
    maxResultChars: 100,
    execute: (_, { report }) => {
      report({ costUsd: 0.1, connector: "stats", summary: "Half of it." });
      return new Promise<string>(() => undefined);
    },
  }),
];
const make = (list = tools) =>
  toolHandler({ tools: list, authorize: () => ({ userId: "ada" }), basePath: "/api", title: "Coach" });

const request = async (path: string, init?: RequestInit) =>
  await make()(new Request(`http://h/api${path}`, init));

async function document(serve = make()): Promise<JsonObject> {
  return await jsonOf(await serve(new Request("http://h/api/openapi.json")));
}

/** Returns whether a value matches a schema of the document, with the document's references. */
async function fits(whole: JsonObject, place: string, value: Json): Promise<boolean> {
  return (await validate(jsonSchema({ ...whole, $ref: `#/components/schemas/${place}` }), value)).ok;
}

it.each([
  ["of three tools", make()],
  ["of no tools", make([])],
])("T10 the OpenAPI document %s is valid", async (_, serve) => {
  const { valid, errors } = await new Validator().validate(await document(serve));
  expect([valid, errors]).toEqual([true, undefined]);
});

it("T10 the OpenAPI document describes what the routes take and answer", async () => {
  const whole = await document();
  const call = async (tool_name: string, tool_input: Json) => {
    const body = JSON.stringify({ tool_name, tool_input });
    const headers = { "content-type": "application/json" };
    const response = await request("/tools/execute", { method: "POST", headers, body });
    const place = response.ok ? "Outcome" : "Error";
    expect(await fits(whole, place, await jsonOf(response))).toBe(true);
    const isCall = await fits(whole, "Call", { tool_name, tool_input });
    return { status: response.status, isCall };
  };
  const leaf = { name: "a", children: [] };
  expect(await call("tree", { name: "b", children: [leaf] })).toEqual({ status: 200, isCall: true });
  expect(await call("tree", { name: "b", children: [{ name: 1 }] })).toEqual({ status: 422, isCall: false });
  expect(await call("add-2", { a: 1 })).toEqual({ status: 200, isCall: true });
  expect(await call("add-2", { a: -1 })).toEqual({ status: 200, isCall: true });
  expect(await call("add-2", { a: "1" })).toEqual({ status: 422, isCall: false });
  expect(await call("slow", {})).toEqual({ status: 504, isCall: true });
  expect(await call("sub", {})).toEqual({ status: 404, isCall: false });
  const schema = await jsonOf(await request("/tools/schema"));
  const listed = { depends_on: ["tree"], ends_run: "completed", max_result_chars: 100 };
  expect(schema.tools[2]).toMatchObject(listed);
  for (const definition of schema.tools) expect(await fits(whole, "Definition", definition)).toBe(true);
  expect(whole.info).toEqual({ title: "Coach", version: schema.version });
});
