import { checkOptions, type OptionKinds } from "../base/check-options.ts";
import { messageOf } from "../base/errors.ts";
import { invalidInput } from "../base/invalid-input.ts";
import { toJson } from "../base/json.ts";
import type { MidwayQuestion } from "../loop/leg/part-types.ts";
import { toJsonSchema } from "../schema/to-json-schema.ts";
import { storedExpiry, storedMoment } from "../tools/expiry.ts";
import type { ToolContext } from "../tools/tool.ts";

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
