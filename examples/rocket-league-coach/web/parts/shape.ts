import type { Json } from "@pawl/core";
import { fieldsOf } from "../base/seam.ts";

/**
 * Returns a result if it has these fields, each an array or an object as in its `sample`; `undefined` for any
 * other value. The tools may be in another process, of another version.
 */
export function resultWith<T extends object>(
  result: Json | undefined,
  sample: { [Field in keyof T]?: "array" | "object" | "text" | "number" },
): T | undefined {
  const fields = new Map(Object.entries(fieldsOf(result)));
  const isRight = Object.entries(sample).every(([field, kind]) => kindOf(fields.get(field)) === kind);
  return isRight ? (result as unknown as T) : undefined;
}

function kindOf(value: Json | undefined): string {
  if (Array.isArray(value)) return "array";
  if (typeof value === "string") return "text";
  return value === null ? "null" : typeof value;
}
