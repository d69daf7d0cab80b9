// A user's program. It imports every entry, and runs a small agent with a model of its own.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import {
  agent,
  type ContentBlock,
  jsonSchema,
  type ModelClient,
  memoryStore,
  PawlError,
  runtime,
  tool,
} from "@pawl/core";
import type { ModelEvent } from "@pawl/core/model";
import { entries } from "./entries.ts";
import "./schemas.ts";

assert.ok(Object.keys(entries).length > 0, "nothing was imported");

function* answer(block: ContentBlock, stop_reason: string): Generator<ModelEvent> {
  const usage = { input_tokens: 10, output_tokens: 10 };
  yield { type: "message_start", message: { id: "m", model: "adder", usage } };
  yield { type: "content_block_start", index: 0, content_block: block };
  yield { type: "content_block_stop", index: 0 };
  yield { type: "message_delta", delta: { stop_reason }, usage };
  yield { type: "message_stop" };
}

const model: ModelClient = {
  id: "adder",
  async *stream({ messages }) {
    if (messages.length > 1) yield* answer({ type: "text", text: "It is 5." }, "end_turn");
    else yield* answer({ type: "tool_use", id: "t1", name: "add", input: { a: 2, b: 3 } }, "tool_use");
  },
};
const add = tool({
  name: "add",
  description: "Adds two numbers.",
  input: jsonSchema<{ a: number; b: number }>({
    type: "object",
    properties: { a: { type: "number" }, b: { type: "number" } },
    required: ["a", "b"],
  }),
  execute: ({ a, b }) => a + b,
});
const adder = agent({ name: "adder", model, instructions: "You add.", tools: [add] });

const pawl = runtime({ agents: [adder], store: memoryStore() });
const { text, stop, actions } = await pawl.run("adder", { userId: "u", input: "2 + 3?" }).result;
assert.deepEqual({ text, stop: stop.type }, { text: "It is 5.", stop: "end_turn" });
assert.equal(actions[0]?.result, 5);
await pawl.drain();

// Without this file a first start takes seconds longer, and no other test fails.
assert.ok(existsSync(new URL("new-database.tar.br", import.meta.resolve("@pawl/postgres/embedded"))));

// Without it a server component of React cannot import the hook.
const hook = readFileSync(new URL(import.meta.resolve("@pawl/client/react")), "utf8");
assert.match(hook, /^"use client";/);

assert.throws(
  () => agent({ name: "silent", model, instructions: " " }),
  (error) => error instanceof PawlError && error.code === "config",
);
// @ts-expect-error `model` is missing: the types are found, and they are strict
assert.ok(() => agent({ name: "no model", instructions: "You add." }));
