import { PawlError, toJson } from "@pawl/core";
import { kindOf } from "@pawl/core/tools";
import { fieldsOf } from "../base/text.ts";
import type { Choice } from "../plan/plan.ts";

/**
 * Checks what `choices` of the application has returned.
 *
 * @throws PawlError `config` for anything but a list of choices with different ids
 */
export function checkedChoices(returned: unknown): Choice[] {
  if (!Array.isArray(returned)) throw notChoices(`got ${kindOf(returned)}. Return [] if there are none`);
  const given: unknown = toJson(returned);
  const listed = new Map<string, Choice>();
  for (const [at, one] of (given as unknown[]).entries()) {
    const { id, label, detail = "" } = fieldsOf(one);
    for (const [field, value] of Object.entries({ id, label, detail }))
      if (typeof value !== "string") throw notChoices(`\`${field}\` of entry ${at} is ${kindOf(value)}`);
    if (listed.has(id as string))
      throw notChoices(`entry ${at} has the same id as one before it: ${JSON.stringify(id)}`);
    listed.set(id as string, one as Choice);
  }
  return [...listed.values()];
}

function notChoices(what: string): PawlError {
  return new PawlError(
    "config",
    `\`choices\` of planning() must return a list of { id, label, detail? }, all of them strings, with different ids; ${what}.`,
  );
}

/**
 * Checks a text that a function of the application has returned. `undefined` counts as no text.
 *
 * @throws PawlError `config` for anything else
 */
export function checkedText(name: string, returned: unknown): string | undefined {
  if (returned === undefined || typeof returned === "string") return returned;
  throw new PawlError("config", `\`${name}\` of planning() must return a string; got ${kindOf(returned)}.`);
}
