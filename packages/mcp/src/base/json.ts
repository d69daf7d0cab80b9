import type { Json, JsonObject } from "@pawl/core";

/** Whether a JSON value is an object. */
export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns a field that the object itself has. */
export function own(object: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** Returns the value if it is an object, or else an empty one. */
export function objectIn(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}
