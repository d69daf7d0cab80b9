import type { Json } from "@pawl/core";
import type { ViewMessage } from "@pawl/core/view";
import { describe, expectTypeOf, it } from "vitest";
import { createAgentClient, until } from "../src/index.ts";
import { type UseAgent, useAgent } from "../src/react.ts";
import type { guide } from "./support/guide.ts";

interface Asks {
  approval: { payload: unknown; answer: { approved: boolean } };
}
interface Tools {
  weather: { input: { city: string }; result: { celsius: number } };
  look: { input: { what?: string }; result: string };
}

describe("D2 U7 calls in messages are typed", () => {
  const { messages, asked } = useAgent<Asks, Tools>({ url: "/" });

  it("by the tool's name, once they are done", () => {
    for (const part of messages.flatMap(({ parts }) => parts)) {
      if (part.type === "text") expectTypeOf(part.text).toEqualTypeOf<string>();
      if (part.type !== "tool") continue;
      expectTypeOf(part.toolName).toEqualTypeOf<"weather" | "look">();
      if (part.toolName === "weather" && part.phase === "done") {
        expectTypeOf(part.result).toEqualTypeOf<{ celsius: number }>();
        expectTypeOf(part.arguments).toEqualTypeOf<{ city: string }>();
      }
      if (part.phase === "error") expectTypeOf(part.result).toEqualTypeOf<Json | undefined>();
      // @ts-expect-error the agent has no such tool
      if (part.toolName === "wheather") continue;
    }
    expectTypeOf(asked.approval?.answer).parameter(0).toEqualTypeOf<{ approved: boolean }>();
  });

  it("as JSON where nothing is said", () => {
    const plain = useAgent({ url: "/" });
    expectTypeOf(plain.messages[0]?.parts).toEqualTypeOf<ViewMessage["parts"] | undefined>();
    expectTypeOf(plain.messages).toExtend<ViewMessage[]>();
  });
});

describe("U7 an agent's type reaches the page, by a type-only import", () => {
  const { messages, asked } = useAgent<typeof guide>({ url: "/" });

  it("so that calls are a union over its tools' names", () => {
    for (const part of messages.flatMap(({ parts }) => parts)) {
      if (part.type !== "tool") continue;
      expectTypeOf(part.toolName).toEqualTypeOf<"weather" | "show_options">();
      if (part.toolName === "weather" && part.phase === "done") {
        expectTypeOf(part.arguments).toEqualTypeOf<{ city: string; days?: number }>();
        expectTypeOf(part.result).toEqualTypeOf<{ celsius: number; at: string }>();
        // @ts-expect-error a date is a string in JSON
        part.result.at.getTime();
        // @ts-expect-error there is no such field
        void part.result.fahrenheit;
      }
      if (part.toolName === "show_options" && part.phase === "done")
        expectTypeOf(part.result).toEqualTypeOf<{ option: string }>();
      if (part.phase === "error") expectTypeOf(part.result).toEqualTypeOf<Json | undefined>();
      // @ts-expect-error the agent has no such tool
      if (part.toolName === "wheather") continue;
    }
  });

  it("and so are its questions and approvals", () => {
    expectTypeOf(asked.show_options?.payload).toEqualTypeOf<{ options: string[] } | undefined>();
    expectTypeOf(asked.show_options?.answer).parameter(0).toEqualTypeOf<{ option: string }>();
    // @ts-expect-error an option is chosen
    void asked.show_options?.answer({ choice: "plan" });
    void asked.approval?.answer({ approved: false, reason: "no" });
    // @ts-expect-error the agent asks no such question
    asked.weather;
  });

  it("also of a client without React, and of components", async () => {
    const client = createAgentClient<typeof guide>({ url: "/" });
    const state = await until(client, ({ messages }) => messages.length === 2);
    expectTypeOf(state).toEqualTypeOf<ReturnType<typeof client.getState>>();
    for (const part of state.messages.flatMap(({ parts }) => parts))
      if (part.type === "tool" && part.toolName === "weather" && part.phase === "done")
        expectTypeOf(part.result.celsius).toEqualTypeOf<number>();
    const show = (agent: UseAgent<typeof guide>) => agent.messages;
    show(useAgent<typeof guide>({ url: "/" }));
    const plain = (agent: Pick<UseAgent, "send" | "stop">) => agent.stop();
    void plain(useAgent<typeof guide>({ url: "/" }));
  });

  it("and not any type that is neither an agent nor questions", () => {
    // @ts-expect-error that is no agent
    useAgent<{ tools: string }>({ url: "/" });
    // @ts-expect-error a tool has an input and a result
    useAgent<Asks, { weather: { returns: number } }>({ url: "/" });
    // @ts-expect-error that is no agent
    createAgentClient<{ tools: string }>({ url: "/" });
  });
});
