import { kindOf } from "../base/check-options.ts";
import { isOwnTag } from "../context/sanitize.ts";
import type { Hook } from "./hook.ts";

/** All fields of a hook. A field of `Hook` that is missing here is a type error. */
const PARTS: { readonly [part in keyof Required<Hook>]: true } = {
  name: true,
  tools: true,
  tags: true,
  idempotent: true,
  needsPrices: true,
  timeoutMs: true,
  guards: true,
  beforeRun: true,
  beforeTurn: true,
  beforeModel: true,
  duringModel: true,
  every: true,
  afterModel: true,
  beforeTool: true,
  afterTool: true,
  afterTurn: true,
  onSuspend: true,
  onStop: true,
  afterRun: true,
  onError: true,
};

/**
 * Returns the end of an error message for a value that is not an object, or is a list or a promise. Returns
 * `undefined` for any other object. A function is refused, although it has a `name` like a hook: `hooks:
 * [approval]`, without the call, would compile and permit every tool.
 */
export function notAHookProblem(value: unknown): string | undefined {
  if (typeof value === "object" && value !== null && !Array.isArray(value) && !("then" in value)) return;
  const hint =
    typeof value === "function" && value.name !== "" ? ` Did you mean to call it: ${value.name}(…)?` : "";
  return `must be a hook, e.g. approval({ when: ["pay"] }); got ${kindOf(value)}.${hint}`;
}

/**
 * Returns why an agent with these tools cannot use a hook, or `undefined` if it can. A method with a misspelt
 * name is refused, because it would never be called. If the tools are not known yet, they are not checked.
 */
export function hookProblem<Deps>(
  hook: Hook<Deps>,
  tools: ReadonlyMap<string, unknown> | undefined,
): string | undefined {
  if (typeof hook.name !== "string" || hook.name === "") return "it has a hook without a name.";
  const misspelt = Object.keys(hook).find((part) => isMethodName(part) && !Object.hasOwn(PARTS, part));
  if (misspelt !== undefined)
    return `its hook "${hook.name}" has "${misspelt}", which is not a method of hooks and would never be called.`;
  const wrongMethod = Object.entries(hook).find(
    ([part, value]) => isMethodName(part) && !isFunctionOrAbsent(value),
  );
  if (wrongMethod !== undefined)
    return `\`${wrongMethod[0]}\` of its hook "${hook.name}" must be a function; got ${kindOf(wrongMethod[1])}.`;
  const { every } = hook;
  if (every !== undefined && !(Number.isInteger(every) && every > 0))
    return `\`every\` of its hook "${hook.name}" must be a whole number of characters from 1; got ${kindOf(every)}.`;
  if (hook.guards !== undefined && typeof hook.guards !== "boolean")
    return `\`guards\` of its hook "${hook.name}" must be true or false; got ${kindOf(hook.guards)}.`;
  const wrongTag = wrongTagIn(hook.tags);
  if (wrongTag !== undefined)
    return `\`tags\` of its hook "${hook.name}" must be a list of names of tags that Pawl does not use itself, e.g. ["Plan"]; got ${wrongTag}.`;
  const unknown = hook.tools?.find((tool) => tools?.has(tool) === false);
  return unknown && `its hook "${hook.name}" needs a tool "${unknown}", which the agent does not have.`;
}

/**
 * Describes the first invalid value in a hook's `tags`, for an error. Returns `undefined` if all are valid.
 */
function wrongTagIn(tags: unknown): string | undefined {
  if (tags === undefined) return undefined;
  if (!Array.isArray(tags)) return kindOf(tags);
  const tag: unknown = tags.find((one) => !isOwnTag(one));
  return tag === undefined ? undefined : (JSON.stringify(tag)?.slice(0, 80) ?? kindOf(tag));
}

/** Returns whether a field has a name like that of a hook's method, also a misspelt one. */
function isMethodName(part: string): boolean {
  return /^(before|during|after|on[A-Z])/.test(part);
}

function isFunctionOrAbsent(value: unknown): boolean {
  return value === undefined || typeof value === "function";
}
