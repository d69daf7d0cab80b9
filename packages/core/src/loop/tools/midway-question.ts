import { checkOptions, type OptionKinds } from "../../base/check-options.ts";
import { messageOf } from "../../base/errors.ts";
import { invalidInput } from "../../base/invalid-input.ts";
import { toJson } from "../../base/json.ts";
import type { EventData } from "../../log/event-data.ts";
import type { CallState } from "../../session/state.ts";
import { storedExpiry, storedMoment } from "../../tools/expiry.ts";
import { toJsonSchema } from "../../tools/to-json-schema.ts";
import type { ToolContext } from "../../tools/tool.ts";

/** A question that a tool asks while it runs, or its wait for a time, as it is stored. */
export type MidwayQuestion = Pick<
  EventData["tool_suspended"],
  "kind" | "payload" | "answer_schema" | "state" | "expires" | "hidden"
>;

/** Returns the answer with which a tool that asked while it ran continues. */
export function answeredBy({ question, answer, questions }: CallState): ToolContext["answered"] {
  if (!question?.midway || answer === undefined) return undefined;
  const { value, expired } = answer;
  return { value, state: question.state ?? null, questions, ...(expired && { expired }) };
}

/** Checks a question that a tool asks while it runs. @throws PawlError `invalid_input` */
export function midwayQuestion(question: Parameters<ToolContext["ask"]>[0]): MidwayQuestion {
  checkOptions("context.ask()", question, QUESTION, { code: "invalid_input" });
  const { kind, payload, answer, state, expires } = question;
  const limit = expires && storedExpiry("context.ask()", expires, answer);
  try {
    return {
      kind,
      payload: toJson(payload),
      answer_schema: toJsonSchema(answer, `answers to "${kind}"`),
      ...(state !== undefined && { state: toJson(state) }),
      ...(limit !== undefined && { expires: limit }),
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
  expires: "object",
};

/** Checks a tool's wait for a time. @throws PawlError `invalid_input` */
export function midwayWait(wait: Parameters<ToolContext["wait"]>[0]): MidwayQuestion {
  checkOptions("context.wait()", wait, WAIT, { code: "invalid_input" });
  const moment = storedMoment("context.wait()", wait);
  const { state } = wait;
  try {
    return {
      kind: "wait",
      payload: {},
      answer_schema: { type: "null" },
      ...(state !== undefined && { state: toJson(state) }),
      expires: { ...moment, default: null },
      hidden: true,
    };
  } catch (cause) {
    throw invalidInput(`context.wait() must be given JSON: ${messageOf(cause)}`, cause);
  }
}

const WAIT: OptionKinds<{ afterMs?: number; at?: unknown; state?: unknown }> = {
  afterMs: "number",
  at: "any",
  state: "any",
};
