import { agent, tool } from "@pawl/core";
import { scriptedModel } from "@pawl/testing";
import { expectTypeOf, it } from "vitest";
import * as z from "zod";
import { createAgentClient } from "../src/index.ts";
import { useAgent } from "../src/react.ts";

const locate = tool({
  name: "locate",
  description: "Returns where the user is.",
  input: z.object({ exact: z.boolean().default(false) }),
  runsIn: "client",
  output: z.object({ city: z.string() }),
});
const read = tool({ name: "read", description: "Reads.", input: z.object({}), runsIn: "client" });
const guide = agent({
  name: "guide",
  model: scriptedModel([]),
  instructions: "You guide.",
  tools: [locate, read],
});
const url = "/api/guide";

it("U7 the tools of a page have the types of the agent's tools", () => {
  createAgentClient<typeof guide>({
    url,
    tools: {
      locate: {
        execute: (input, { callId, signal }) => {
          expectTypeOf(input).toEqualTypeOf<{ exact?: boolean }>();
          expectTypeOf(callId).toEqualTypeOf<string>();
          expectTypeOf(signal).toEqualTypeOf<AbortSignal>();
          return { city: "Bonn" };
        },
      },
      read: { execute: () => ["any", "JSON"] },
    },
  });
  // @ts-expect-error The result is another one.
  createAgentClient<typeof guide>({ url, tools: { locate: { execute: () => ({ town: "Bonn" }) } } });
  // @ts-expect-error The agent has no such tool.
  createAgentClient<typeof guide>({ url, tools: { paint: { execute: () => null } } });
});

function useGuide() {
  return useAgent<typeof guide>({ url, tools: { locate: { execute: () => ({ city: "" }) } } });
}

it("U7 the hook takes the same tools", () => {
  expectTypeOf(useGuide).returns.toHaveProperty("messages");
  // @ts-expect-error The result is another one.
  expectTypeOf(useAgent<typeof guide>).toBeCallableWith({ url, tools: { locate: { execute: () => 5 } } });
});

it("U7 without the agent's types, inputs and results are JSON, and messages stay as they are", () => {
  const client = createAgentClient({ url, tools: { paint: { description: "", execute: (input) => input } } });
  const untyped = createAgentClient({ url });
  expectTypeOf(client).toEqualTypeOf(untyped);
});
