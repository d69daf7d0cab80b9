import type { Hook } from "../../hooks/hook.ts";

/** Methods of hooks that take part in a run. */
export type HookMethod = Exclude<keyof Hook, "name" | "tools" | "idempotent" | "onError">;

/** What a method of a hook may return. */
interface Shape {
  /** The names that mean something, as an error lists them. */
  readonly keys: readonly string[];
  /** Names that may stand beside them: a hook may spread what it was given. */
  readonly beside?: readonly string[];
  /** How many of them it needs. */
  readonly needs: "none" | "one" | "all";
}

const PLAN: Shape = { keys: ["stop", "model", "maxTokens", "toolChoice", "tools"], needs: "none" };

/** By method. What `onSuspend` and `afterRun` return is ignored. */
const SHAPES = new Map<HookMethod, Shape>([
  ["beforeRun", { keys: ["stop"], needs: "one" }],
  ["beforeTurn", PLAN],
  ["beforeModel", PLAN],
  ["afterModel", { keys: ["content"], beside: ["stopReason"], needs: "one" }],
  [
    "beforeTool",
    {
      keys: ["input", "deny", "result", "ask"],
      beside: ["skipped", "callId", "tool", "arguments", "answer"],
      needs: "one",
    },
  ],
  [
    "afterTool",
    { keys: ["success", "result", "content"], beside: ["callId", "tool", "input"], needs: "none" },
  ],
  ["afterTurn", { keys: ["stop"], needs: "one" }],
  ["onStop", { keys: ["type", "message"], needs: "all" }],
]);

/**
 * Checks what a hook's method returned.
 *
 * @throws Error that says what the method may return, for a value with unknown names only or too few of its
 * own, and for a `stop` that cannot count.
 */
export function checkReturned(method: HookMethod, value: unknown): void {
  const shape = SHAPES.get(method);
  if (shape === undefined) return;
  const { keys, beside = [], needs } = shape;
  const expected = `it returns ${listed(keys, needs === "all" ? "and" : "or")}`;
  if (typeof value !== "object" || value === null) {
    throw new Error(`${method} returned a ${typeof value}: ${expected}`);
  }
  const unknown = Object.keys(value).filter((key) => !keys.includes(key) && !beside.includes(key));
  if (unknown.includes("stop")) throw new Error(`${method} cannot end the run: ${expected}`);
  const given = keys.filter((key) => Object.hasOwn(value, key)).length;
  // An unknown name beside a known one is the hook's own affair. Alone, it is a mistake.
  if (unknown.length > 0 && given === 0) {
    throw new Error(`${method} returned ${unknown.map((key) => `"${key}"`).join(", ")}: ${expected}`);
  }
  if (given < { none: 0, one: 1, all: keys.length }[needs]) {
    throw new Error(`${method} returned too little: ${expected}`);
  }
}

function listed(keys: readonly string[], word: "and" | "or"): string {
  return keys.length === 1 ? `${keys[0]}` : `${keys.slice(0, -1).join(", ")} ${word} ${keys.at(-1)}`;
}
