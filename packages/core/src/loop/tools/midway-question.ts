import { checkOptions, type OptionKinds } from "../../base/check-options.ts";
import { messageOf } from "../../base/errors.ts";
import { invalidInput } from "../../base/invalid-input.ts";
import { toJson } from "../../base/json.ts";
import type { EventData } from "../../log/event-data.ts";
import type { CallState } from "../../session/state.ts";
import { toJsonSchema } from "../../tools/to-json-schema.ts";
import type { ToolContext } from "../../tools/tool.ts";

/** A question that a tool asks while it runs, as it is stored. */
export type MidwayQuestion = Pick<
  EventData["tool_suspended"],
  "kind" | "payload" | "answer_schema" | "state"
>;

/** Returns the answer with which a tool that asked while it ran continues. */
export function answeredBy({ question, answer, questions }: CallState): ToolContext["answered"] {
  if (!question?.midway || answer === undefined) return undefined;
  return { value: answer.value, state: question.state ?? null, questions };
}

/** Checks a question that a tool asks while it runs. @throws PawlError `invalid_input` */
export function midwayQuestion(question: Parameters<ToolContext["ask"]>[0]): MidwayQuestion {
  checkOptions("context.ask()", question, QUESTION, { code: "invalid_input" });
  const { kind, payload, answer, state } = question;
  try {
    return {
      kind,
      payload: toJson(payload),
      answer_schema: toJsonSchema(answer, `answers to "${kind}"`),
      ...(state !== undefined && { state: toJson(state) }),
    };
  } catch (cause) {
    throw invalidInput(`context.ask() must be given JSON and a schema: ${messageOf(cause)}`, cause);
  }
}

const QUESTION: OptionKinds<Parameters<ToolContext["ask"]>[0]> = {
  kind: "string!",
  payload: "any!",
  answer: "any!",
  state: "any",
};
