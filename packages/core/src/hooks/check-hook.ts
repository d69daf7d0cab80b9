import type { Hook } from "./hook.ts";

const PARTS: { readonly [part in keyof Required<Hook>]: true } = {
  name: true,
  tools: true,
  idempotent: true,
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
 * Why a hook cannot be used by an agent with these tools, if so: what is misspelt would never be called, and
 * guard nothing.
 */
export function wrongWith<Deps>(hook: Hook<Deps>, tools: ReadonlyMap<string, unknown>): string | undefined {
  if (typeof hook.name !== "string" || hook.name === "") return "it has a hook without a name.";
  const other = Object.keys(hook).find(
    (part) => /^(before|after|on[A-Z])/.test(part) && !Object.hasOwn(PARTS, part),
  );
  if (other !== undefined) return `its hook "${hook.name}" has "${other}", which nothing calls.`;
  const unknown = hook.tools?.find((tool) => !tools.has(tool));
  return unknown && `its hook "${hook.name}" is about a tool "${unknown}", which it does not have.`;
}
