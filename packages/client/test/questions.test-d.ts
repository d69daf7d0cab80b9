import type { Json } from "@pawl/core";
import { describe, expectTypeOf, it } from "vitest";
import { answerable, askedByKind, createAgentClient } from "../src/index.ts";
import { useAgent } from "../src/react.ts";

interface Asks {
  show_options: { payload: { options: string[] }; answer: { option: string } };
  approval: { payload: unknown; answer: { approved: boolean } };
}

describe("K6 questions and answers are typed", () => {
  const { asked, pending } = useAgent<Asks>({ url: "/" });

  it("by their kinds", () => {
    expectTypeOf(asked.show_options?.payload).toEqualTypeOf<{ options: string[] } | undefined>();
    expectTypeOf(asked.approval?.answer).parameter(0).toEqualTypeOf<{ approved: boolean }>();
    // @ts-expect-error nothing asks that
    asked.show_pulse;
  });

  it("so that a wrong answer does not compile", () => {
    // @ts-expect-error an option is chosen
    void asked.show_options?.answer({ choice: "plan" });
    // @ts-expect-error it is yes or no
    void asked.approval?.answer("yes");
  });

  it("as JSON where nothing is said", () => {
    expectTypeOf(pending[0]?.answer).parameter(0).toEqualTypeOf<Json>();
    const client = createAgentClient({ url: "/" });
    const asked = askedByKind(answerable(client.getState().pending, client));
    expectTypeOf(asked.anything?.payload).toEqualTypeOf<Json | undefined>();
  });
});
