import type { Json } from "@pawl/core";
import type { ViewMessage } from "@pawl/core/view";
import { describe, expectTypeOf, it } from "vitest";
import { useAgent } from "../src/react.ts";

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
