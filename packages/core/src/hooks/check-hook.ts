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
 * Returns why an agent with these tools cannot use a hook, or `undefined` if it can. A method with a misspelt
 * name is refused, because it would never be called. If the tools are not known yet, they are not checked.
 */
export function wrongWith<Deps>(
  hook: Hook<Deps>,
  tools: ReadonlyMap<string, unknown> | undefined,
): string | undefined {
  if (typeof hook.name !== "string" || hook.name === "") return "it has a hook without a name.";
  const other = Object.keys(hook).find(
    (part) => /^(before|after|on[A-Z])/.test(part) && !Object.hasOwn(PARTS, part),
  );
  if (other !== undefined)
    return `its hook "${hook.name}" has "${other}", which is not a method of hooks and would never be called.`;
  const unknown = hook.tools?.find((tool) => tools?.has(tool) === false);
  return unknown && `its hook "${hook.name}" needs a tool "${unknown}", which the agent does not have.`;
}
