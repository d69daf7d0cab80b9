import { checkOptions, type OptionKinds } from "../base/check-options.ts";
import { messageOf } from "../base/errors.ts";
import { invalidInput } from "../base/invalid-input.ts";
import { toJson } from "../base/json.ts";
import type { Parts } from "../loop/leg/leg.ts";
import type { MidwayQuestion } from "../loop/leg/part-types.ts";
import { toJsonSchema } from "../schema/to-json-schema.ts";
import { storedExpiry, storedMoment } from "../tools/expiry.ts";
import type { ToolContext } from "../tools/tool.ts";

/**
 * Checks the argument of a tool's `ask()`, and returns it as it is stored. @throws PawlError `invalid_input`
 */
export function midwayQuestion(question: Parameters<ToolContext["ask"]>[0]): MidwayQuestion {
  checkOptions("context.ask()", question, QUESTION, { code: "invalid_input" });
  const { kind, payload, answer, state, expires } = question;
  const expiry = expires && storedExpiry("context.ask()", expires, answer);
  try {
    return {
      kind,
      payload: toJson(payload),
      answer_schema: toJsonSchema(answer, `answers to "${kind}"`),
      ...(state !== undefined && { state: toJson(state) }),
      ...(expiry !== undefined && { expires: expiry }),
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

/**
 * Checks the argument of a tool's `wait()`, and returns it as it is stored: as a hidden question that gets
 * the answer `null` at that time.
 *
 * @throws PawlError `invalid_input`
 */
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

// Has the module, not the promise of its import: later calls wait for no import, and a failed one is
// repeated.
let parts: Parts | undefined;

/** Loads the code that few runs need, in a chunk of its own. */
export async function loadParts(): Promise<Parts> {
  parts ??= await import("./index.ts");
  return parts;
}
