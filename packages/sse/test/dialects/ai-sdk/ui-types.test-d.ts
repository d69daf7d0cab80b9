import type { Chat as Chat7, useChat as useChat7 } from "@ai-sdk/react";
import type { useChat as useChat6 } from "@ai-sdk/react-3";
import { type Agent, agent, type Json, jsonSchema, type ModelClient, tool } from "@pawl/core";
import type { UIMessage as UIMessage7 } from "ai";
import type { UIMessage as UIMessage6 } from "ai-6";
import type { UIMessage as UIMessageFirst } from "ai-6-first";
import { describe, expectTypeOf, it } from "vitest";
import * as z from "zod";
import type { UIDataOf, UIMetadata, UIToolsOf } from "../../../../client/src/ai-sdk.ts";

const weather = tool({
  name: "weather",
  description: "",
  input: z.object({ city: z.string(), days: z.number().default(1) }),
  execute: async () => ({ celsius: 12, at: new Date() }),
});
const choose = tool({
  name: "choose",
  description: "",
  input: z.object({ topic: z.string() }),
  suspends: { answer: z.object({ option: z.string() }), payload: ({ topic }) => ({ options: [topic] }) },
  execute: (_, { answer }) => `chose ${answer.option}`,
});
const locate = tool({
  name: "locate",
  description: "",
  input: z.object({}),
  runsIn: "client",
  output: jsonSchema<{ city: string }>({ type: "object" }),
});
const guide = agent({
  name: "guide",
  model: {} as ModelClient,
  instructions: "x",
  tools: [weather, choose, locate],
  output: z.object({ stars: z.number() }),
});

type Metadata = UIMetadata;
type Data = UIDataOf<typeof guide>;
type Tools = UIToolsOf<typeof guide>;

describe("U7 W2 an agent's types reach a page with useChat", () => {
  it("by the names of its tools, in every version", () => {
    type Parts =
      | UIMessage7<Metadata, Data, Tools>["parts"][number]
      | UIMessage6<Metadata, Data, Tools>["parts"][number]
      | UIMessageFirst<Metadata, Data, Tools>["parts"][number];
    const part = {} as Parts;
    if (part.type === "tool-weather" && part.state === "output-available") {
      expectTypeOf(part.input).toEqualTypeOf<{ city: string; days?: number }>();
      expectTypeOf(part.output).toEqualTypeOf<{ celsius: number; at: string }>();
    }
    if (part.type === "tool-locate" && part.state === "output-available")
      expectTypeOf(part.output).toEqualTypeOf<{ city: string }>();
    if (part.type === "data-output") {
      expectTypeOf(part.data.final).toEqualTypeOf<boolean>();
      expectTypeOf(part.data.value).toEqualTypeOf<{ stars: number } | null>();
    }
    // @ts-expect-error the agent has no such tool
    if (part.type === "tool-wheather") return;
  });

  it("so that a question has what it shows, and a wrong answer does not compile", () => {
    expectTypeOf<Tools["choose"]["input"]>().toEqualTypeOf<{ topic: string } | { options: string[] }>();
    const { addToolOutput } = {} as ReturnType<typeof useChat7<UIMessage7<Metadata, Data, Tools>>>;
    void addToolOutput({ tool: "choose", toolCallId: "c1", output: { option: "plan" } });
    void addToolOutput({ tool: "locate", toolCallId: "c1", output: { city: "Bonn" } });
    // @ts-expect-error a city is a text
    void addToolOutput({ tool: "locate", toolCallId: "c1", output: { city: 5 } });
    const early = {} as ReturnType<typeof useChat6<UIMessage6<Metadata, Data, Tools>>>;
    void early.addToolOutput({ tool: "locate", toolCallId: "c1", output: { city: "Bonn" } });
    const { metadata } = {} as Chat7<UIMessage7<Metadata, Data, Tools>>["messages"][number];
    expectTypeOf(metadata?.createdAt).toEqualTypeOf<string | undefined>();
  });

  it("as JSON where the agent's type does not list its tools, and not of what is no agent", () => {
    expectTypeOf<UIToolsOf<Agent>>().toEqualTypeOf<Record<string, { input: Json; output: Json }>>();
    // @ts-expect-error that is no agent
    type _ = UIToolsOf<{ tools: string }>;
  });
});
