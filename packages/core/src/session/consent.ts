import { isEqualJson, type Json } from "../base/json.ts";
import type { Consent, ConsentPart } from "../log/consent.ts";

/** What the user was shown, or what is about to run. */
export type ConsentObject = Consent & { input: Json };

const PARTS_OF_TOOL = ["description", "input_schema", "annotations", "server"] as const;

/**
 * Decides whether what is about to run is what the user has consented to. Returns the parts that differ;
 * empty if the call may run. A pure function. The version of the agent does not matter.
 */
export function consentChanges(shown: ConsentObject, now: ConsentObject): readonly ConsentPart[] {
  const changed: ConsentPart[] = isEqualJson(shown.input, now.input) ? [] : ["input"];
  return [...changed, ...PARTS_OF_TOOL.filter((part) => shown.tool?.[part] !== now.tool?.[part])];
}
