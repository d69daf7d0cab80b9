import { kindOf } from "../base/check-options.ts";
import { isOwnTag } from "../context/sanitize.ts";
import type { Hook } from "./hook.ts";

const PARTS: { readonly [part in keyof Required<Hook>]: true } = {
  name: true,
  tools: true,
  tags: true,
  idempotent: true,
  needsPrices: true,
  beforeRun: true,
  beforeTurn: true,
  beforeModel: true,
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
 * Returns why a value is not a hook, or `undefined` if it is an object. A function is refused: it has a
 * `name`, so `hooks: [approval]`, without the call, would compile and permit every tool.
 */
export function notAHook(value: unknown): string | undefined {
  if (typeof value === "object" && value !== null && !Array.isArray(value) && !("then" in value)) return;
  const call =
    typeof value === "function" && value.name !== "" ? ` Did you mean to call it: ${value.name}(…)?` : "";
  return `must be a hook, e.g. approval({ when: ["pay"] }); got ${kindOf(value)}.${call}`;
}

/**
 * Returns why an agent with these tools cannot use a hook, or `undefined` if it can. A method with a misspelt
 * name is refused, because it would never be called. If the tools are not known yet, they are not checked.
 */
export function wrongWith<Deps>(
  hook: Hook<Deps>,
  tools: ReadonlyMap<string, unknown> | undefined,
): string | undefined {
  if (typeof hook.name !== "string" || hook.name === "") return "it has a hook without a name.";
  const other = Object.keys(hook).find((part) => isMethod(part) && !Object.hasOwn(PARTS, part));
  if (other !== undefined)
    return `its hook "${hook.name}" has "${other}", which is not a method of hooks and would never be called.`;
  const value = Object.entries(hook).find(([part, value]) => isMethod(part) && !isCallable(value));
  if (value !== undefined)
    return `\`${value[0]}\` of its hook "${hook.name}" must be a function; got ${kindOf(value[1])}.`;
  const wrong = wrongTags(hook.tags);
  if (wrong !== undefined)
    return `\`tags\` of its hook "${hook.name}" must be a list of names of tags that Pawl does not use itself, e.g. ["Plan"]; got ${wrong}.`;
  const unknown = hook.tools?.find((tool) => tools?.has(tool) === false);
  return unknown && `its hook "${hook.name}" needs a tool "${unknown}", which the agent does not have.`;
}

function wrongTags(tags: unknown): string | undefined {
  if (tags === undefined) return undefined;
  if (!Array.isArray(tags)) return kindOf(tags);
  const tag: unknown = tags.find((one) => !isOwnTag(one));
  return tag === undefined ? undefined : (JSON.stringify(tag)?.slice(0, 80) ?? kindOf(tag));
}

function isMethod(part: string): boolean {
  return /^(before|after|on[A-Z])/.test(part);
}

function isCallable(value: unknown): boolean {
  return value === undefined || typeof value === "function";
}
