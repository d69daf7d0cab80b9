import type { Json, Question } from "@pawl/core";
import { describe, expectTypeOf, it } from "vitest";
import { type AnswerableQuestion, answerable, askedByKind, createAgentClient } from "../src/index.ts";
import { useAgent } from "../src/react.ts";
import type { guide } from "./support/guide.ts";

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

  it("also in the list of all, by their kinds", () => {
    for (const question of pending) {
      expectTypeOf(question.kind).toEqualTypeOf<"show_options" | "approval">();
      expectTypeOf(question.seq).toEqualTypeOf<number>();
      if (question.kind !== "show_options") continue;
      expectTypeOf(question.payload).toEqualTypeOf<{ options: string[] }>();
      expectTypeOf(question.answer).parameter(0).toEqualTypeOf<{ option: string }>();
      // @ts-expect-error an option is chosen
      void question.answer({ approved: true });
    }
    // @ts-expect-error nothing asks that
    void pending.find(({ kind }) => kind === "show_pulse");
    const agents = useAgent<typeof guide>({ url: "/" }).pending;
    expectTypeOf<(typeof agents)[number]["kind"]>().toEqualTypeOf<"show_options" | "approval">();
    expectTypeOf(agents).toExtend<readonly AnswerableQuestion[]>();
  });

  it("as JSON where nothing is said", () => {
    const { pending } = useAgent({ url: "/" });
    expectTypeOf(pending).toEqualTypeOf<readonly AnswerableQuestion[]>();
    expectTypeOf(pending[0]?.answer).parameter(0).toEqualTypeOf<Json>();
    const client = createAgentClient({ url: "/" });
    const asked = askedByKind(answerable(client.getState().pending, client));
    expectTypeOf(asked.anything?.payload).toEqualTypeOf<Json | undefined>();
  });
});

describe("U7 questions and answers of a client without React are typed by the agent", () => {
  const client = createAgentClient<typeof guide>({ url: "/" });

  it("by their kinds", () => {
    for (const question of client.getState().pending) {
      expectTypeOf(question.kind).toEqualTypeOf<"show_options" | "approval">();
      expectTypeOf(question.seq).toEqualTypeOf<number>();
      if (question.kind !== "show_options") continue;
      expectTypeOf(question.payload).toEqualTypeOf<{ options: string[] }>();
      void client.answer(question.callId, { option: "plan" }, question.seq);
    }
  });

  it("so that what answers none of its questions does not compile", () => {
    void client.answer("c1", { approved: true });
    // @ts-expect-error no question has this answer
    void client.answer("c1", { choice: "plan" });
    // @ts-expect-error no question has this kind
    void client.getState().pending.find(({ kind }) => kind === "show_pulse");
  });

  it("as JSON where nothing is said", () => {
    const plain = createAgentClient({ url: "/" });
    expectTypeOf(plain.answer).parameter(1).toEqualTypeOf<Json>();
    expectTypeOf(plain.getState().pending).toEqualTypeOf<Question[]>();
    expectTypeOf(answerable(client.getState().pending, client)).toEqualTypeOf<AnswerableQuestion[]>();
  });
});
