import { canonicalJson, toJson } from "../../base/json.ts";
import type { Hook } from "../../hooks/hook.ts";
import { type ContentBlock, type ContentBlockParam, isText, isThinking } from "../../model/content.ts";

/** The names of the hook methods that are called by the loop. */
export type HookMethod = Exclude<
  keyof Hook,
  "name" | "tools" | "tags" | "idempotent" | "needsPrices" | "guards" | "timeoutMs" | "every" | "onError"
>;

/** The fields of the object that a hook's method may return. */
interface ReturnShape {
  /** The fields that have an effect, in the order in which errors list them. */
  readonly keys: readonly string[];
  /** Further fields that are allowed and ignored: a hook may return them because it spread its argument. */
  readonly beside?: readonly string[];
  /** The number of fields of `keys` that the object must have. */
  readonly needs: "none" | "one" | "all";
}

const PLAN_KEYS = ["stop", "model", "maxTokens", "toolChoice", "tools"];

/** The shape of each method's return value, or `ignored`. A method without an entry is a type error. */
const SHAPES: Readonly<Record<HookMethod, ReturnShape | "ignored">> = {
  beforeRun: { keys: ["stop", "ask"], beside: ["hide"], needs: "one" },
  beforeTurn: { keys: [...PLAN_KEYS, "ask"], beside: ["hide"], needs: "none" },
  beforeModel: { keys: PLAN_KEYS, beside: ["hide"], needs: "none" },
  duringModel: {
    keys: ["stop", "text", "value"],
    beside: ["hide", "kind", "complete", "tool", "callId"],
    needs: "one",
  },
  afterModel: { keys: ["content"], beside: ["stopReason"], needs: "one" },
  beforeTool: {
    keys: ["input", "deny", "result", "ask"],
    beside: ["skipped", "shown", "callId", "tool", "arguments", "answer"],
    needs: "one",
  },
  afterTool: {
    keys: ["success", "result", "content"],
    beside: ["callId", "tool", "input", "error"],
    needs: "none",
  },
  afterTurn: { keys: ["stop", "continue"], needs: "one" },
  onSuspend: "ignored",
  onStop: { keys: ["type", "message"], needs: "all" },
  afterRun: "ignored",
};

/**
 * Checks the return value of a hook's method.
 *
 * @throws Error if the value has only unknown fields, too few known ones, or `stop` where the method cannot
 * end the run. The message lists the fields that the method may return.
 */
export function checkReturned(method: HookMethod, value: unknown): void {
  const shape = SHAPES[method];
  if (shape === "ignored") return;
  const { keys, beside = [], needs } = shape;
  const expected = `it returns ${listed(keys, needs === "all" ? "and" : "or")}`;
  if (typeof value !== "object" || value === null) {
    throw new Error(`${method} returned a ${typeof value}: ${expected}`);
  }
  const unknown = Object.keys(value).filter((key) => !keys.includes(key) && !beside.includes(key));
  if (unknown.includes("stop")) throw new Error(`${method} cannot end the run: ${expected}`);
  const knownFields = keys.filter((key) => Object.hasOwn(value, key)).length;
  // An unknown field beside a known one is allowed. Unknown fields alone are a mistake.
  if (unknown.length > 0 && knownFields === 0) {
    throw new Error(`${method} returned ${unknown.map((key) => `"${key}"`).join(", ")}: ${expected}`);
  }
  if (knownFields < { none: 0, one: 1, all: keys.length }[needs]) {
    throw new Error(`${method} returned too few fields: ${expected}`);
  }
}

/** Returns a list of names in words, e.g. "input, deny or ask". */
function listed(keys: readonly string[], word: "and" | "or"): string {
  return keys.length === 1 ? `${keys[0]}` : `${keys.slice(0, -1).join(", ")} ${word} ${keys.at(-1)}`;
}

/**
 * Checks the content that an `afterModel` hook returned, and returns it for storage. A hook may change or
 * remove text blocks after the last thinking block. All other blocks must stay unchanged: the model signs the
 * content before its thinking, and clients have already seen the calls. An answer that the model has
 * paused must not change at all.
 *
 * @throws Error with the reason if the content is not allowed.
 */
export function checkRewrite(
  before: readonly ContentBlock[],
  after: readonly ContentBlockParam[],
  paused: boolean,
): readonly ContentBlock[] {
  if (paused && canonicalJson(before) !== canonicalJson(after)) {
    throw new Error("an answer that the model has paused must not be changed.");
  }
  // The number of blocks up to the last thinking block.
  const bound = before.findLastIndex(isThinking) + 1;
  const unchangeable = (blocks: readonly ContentBlockParam[]) =>
    canonicalJson([...blocks.slice(0, bound), ...blocks.slice(bound).filter((block) => !isText(block))]);
  if (!Array.isArray(after) || unchangeable(before) !== unchangeable(after)) {
    throw new Error("only text blocks that no thinking block follows may be changed or removed.");
  }
  if (after.some((block) => isText(block) && typeof block.text !== "string")) {
    throw new Error("a text block must have a string as its `text`.");
  }
  const known = new Set(before.map(canonicalJson));
  // A changed text block keeps only its text: citations, for example, quote the old words.
  const stored = after.map((block) =>
    isText(block) && !known.has(canonicalJson(block)) ? { type: "text", text: block.text } : block,
  );
  return toJson(stored) as ContentBlock[];
}
