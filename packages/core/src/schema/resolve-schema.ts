import { dereference, type Schema as Part } from "@cfworker/json-schema";
import type { JsonObject } from "../base/json.ts";
import { schemasIn } from "./subschemas.ts";

/** A copy of a schema, whose references are resolved. */
export interface Resolved {
  readonly root: Part;
  /** The schemas that references may lead to, by their absolute address. */
  readonly parts: { readonly [address: string]: Part | boolean };
}

/** Resolves the references of a JSON Schema. @throws if an `$id` or `$ref` is not a URI */
export function resolveSchema(schema: JsonObject): Resolved {
  // `dereference` adds fields to the schema that it gets.
  const root = structuredClone(schema);
  // A `$ref` may lead to either kind of anchor.
  for (const part of schemasIn(root))
    if (part.$dynamicAnchor !== undefined) part.$anchor ??= part.$dynamicAnchor;
  return { root: root as Part, parts: dereference(root as Part) };
}
