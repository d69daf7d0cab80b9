import type { Json } from "@pawl/core";
import { withoutHidden } from "@pawl/core/tools";
import { isObject } from "./json.ts";

/** Returns whether people see every character of a value's texts and names. */
export function isVisible(value: Json): boolean {
  if (typeof value === "string") return withoutHidden(value) === value;
  if (Array.isArray(value)) return value.every(isVisible);
  return !isObject(value) || Object.entries(value).every((entry) => entry.every(isVisible));
}
