import { kindOf } from "../base/check-options.ts";
import { isJsonObject, type Json, toJson } from "../base/json.ts";
import type { AnswerChange, AnswerPart, RunStop } from "../hooks/turn-plan.ts";
import { stopFrom } from "../log/stop-reason.ts";
import { callHook, HOOK_FAILED, hooksWith } from "../loop/hooks/call-hooks.ts";
import type { AnswerGate } from "../loop/leg/attempt.ts";
import type { Leg } from "../loop/leg/leg.ts";
import type { LivePart } from "../model/live-part.ts";
import type { ModelEvent } from "../model/model-client.ts";
import type { Reply } from "../model/reply.ts";
import { checkedResult } from "../tools/result-loss.ts";

/** The error by which the reading of an answer ends once a hook has refused it. */
const ANSWER_REFUSED = new Error("A hook has refused the answer.");

/** The hooks' judgement of one answer. */
export interface AnswerJudge {
  /** Why a hook has refused the answer. */
  refused: AnswerGate["refused"];
  /** Returns the part with the hooks' changes. Rejects if a hook refuses it, fails, or the run is stopped. */
  part(part: AnswerPart, limits: ChangeLimits): Promise<AnswerPart>;
  /** Refuses the answer for a reason that is Pawl's own. */
  fail(message: string): Promise<never>;
}

/** What a hook may change of a part. */
export interface ChangeLimits {
  /** The field that it may replace; `undefined` if it may replace nothing. */
  field: "text" | "value" | undefined;
  /** The text that readers have been shown, which a new text must begin with. */
  shown?: string;
  /** Whether a new value must be an object. */
  isInput?: boolean;
}

/** Makes the judgement of an answer by the hooks. It fails closed. */
export function answerJudge(leg: Leg): AnswerJudge {
  const hooks = hooksWith(leg, "duringModel");
  const { signal } = leg.life;
  const judge: AnswerJudge = {
    refused: undefined,
    async part(part, limits) {
      let current = part;
      for (const hook of hooks) {
        const take = (change: AnswerChange) => checkedAnswerChange(change, limits);
        const { value, failed } = await callHook(leg, hook, "duringModel", [current], take);
        if (signal.aborted) throw signal.reason;
        if (failed) throw refuseAnswer(judge, { stop: HOOK_FAILED });
        if (value !== undefined && "stop" in value) throw refuseAnswer(judge, value);
        current = { ...current, ...value };
      }
      return current;
    },
    async fail(message) {
      await leg.report.logError({ code: "hook_failed", message, context: { method: "duringModel" } });
      leg.report.failed(new Error(message));
      throw refuseAnswer(judge, { stop: HOOK_FAILED });
    },
  };
  return judge;
}

/** Refuses the answer. The first reason counts, unless a later one hides the messages. */
function refuseAnswer(judge: AnswerJudge, refused: RunStop): Error {
  if (judge.refused === undefined || (refused.hide && !judge.refused.hide)) judge.refused = refused;
  return ANSWER_REFUSED;
}

/** Checks a hook's decision about a part. @throws Error for a change that is not possible */
function checkedAnswerChange(
  change: AnswerChange,
  { field, shown = "", isInput }: ChangeLimits,
): AnswerChange {
  if ("stop" in change) return { stop: stopFrom(change.stop), ...(change.hide && { hide: change.hide }) };
  if (field === undefined || !(field in change))
    throw new Error(`of this part of an answer, ${field ? `only \`${field}\`` : "nothing"} can be replaced.`);
  if ("value" in change) {
    const checked = checkedResult(change.value, "value");
    if ("loss" in checked) throw new Error(`\`value\` must be JSON: ${checked.loss}`);
    if (isInput && !isJsonObject(checked.json)) throw new Error("the input of a call must be a JSON object.");
    return { value: checked.json };
  }
  const { text } = change;
  if (typeof text !== "string")
    throw new Error(`a text can be replaced only by a string; got ${kindOf(text)}.`);
  if (!text.startsWith(shown))
    throw new Error(
      "the replacement must begin with what readers have been shown. A larger `every` holds back more.",
    );
  return { text: text.toWellFormed() };
}

/** Returns a JSON text as a value; `undefined` if it is not JSON. */
export function valueOfJson(text: string): Json | undefined {
  try {
    return toJson(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** Returns a length of the beginning of a text that splits no surrogate pair. */
export function wholeLength(text: string, length: number): number {
  const isSplit = length > 0 && /[\uD800-\uDBFF]/.test(text[length - 1] ?? "");
  return isSplit ? length - 1 : length;
}

/** Returns whether a part is text that may be judged before it is complete. */
export function isTextKind(kind: AnswerPart["kind"]): kind is "text" | "thinking" {
  return kind === "text" || kind === "thinking";
}

/** Returns whether an event has no text of its block, e.g. a citation or a signature. */
export function isBesideText(event: ModelEvent): boolean {
  if (event.type !== "content_block_delta") return false;
  return event.delta.type !== "text_delta" && event.delta.type !== "thinking_delta";
}

/** Returns what a block is for hooks. */
export function partKindOf({ output }: Pick<Reply, "output">, { kind, tool }: LivePart): AnswerPart["kind"] {
  if (output === undefined) return kind;
  const isOutput = output.tool === undefined ? kind === "text" : tool?.tool_name === output.tool;
  return isOutput ? "output" : kind;
}
