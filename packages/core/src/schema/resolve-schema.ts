import { isJsonObject, type Json, type JsonObject } from "../base/json.ts";
import { subschemaKind } from "./subschemas.ts";

/** A schema whose references are resolved. */
export interface Resolved {
  /** A copy of the whole schema. */
  readonly root: JsonObject;
  /** The schema and all schemas inside it that are objects, also those of unknown keywords. */
  readonly parts: readonly JsonObject[];
  /** The schemas with a `$ref`, and where it leads; `undefined` if it leads to no schema inside this one. */
  readonly targets: ReadonlyMap<object, Json | undefined>;
}

/**
 * A schema with an `$id`, or the whole schema. A `$ref` is resolved against the document that contains it.
 */
interface Document {
  readonly address: string;
  readonly root: JsonObject;
  /** The schemas with an anchor, by its name. */
  readonly anchors: Map<string, JsonObject>;
}

/** Documents by address. */
type Documents = Map<string, Document>;

/** The address of a schema without an `$id`. */
const START = "https://schema.invalid/";

/** Keywords whose value contains no schemas. */
const DATA: readonly string[] = ["const", "default", "dependentRequired", "$vocabulary", "$comment"];

/**
 * Resolves the references of a JSON Schema. @throws Error if an `$id` or `$ref` is not a URI, or an `$id` is
 * used twice
 */
// `dereference()` of @cfworker/json-schema keys each schema by its whole address, so its time grows with the
// square of long names. It also reads a schema again for each `$id` around it. Here, each is read once.
export function resolveSchema(schema: JsonObject): Resolved {
  // The application may change its schema later.
  const root = structuredClone(schema);
  const documents: Documents = new Map();
  const owners = new Map<JsonObject, Document>([[root, { address: START, root, anchors: new Map() }]]);
  // The loop also visits the entries that it adds.
  for (const [part, outer] of owners) {
    const document = documentOf(part, outer, documents);
    owners.set(part, document);
    const anchor = part.$anchor ?? part.$dynamicAnchor;
    if (typeof anchor === "string") document.anchors.set(anchor, part);
    for (const inner of valuesInside(part))
      if (isJsonObject(inner) && !owners.has(inner)) owners.set(inner, document);
  }
  const targets = new Map<object, Json | undefined>();
  for (const [part, document] of owners) {
    if (part.$ref === undefined || part.$ref === null) continue;
    const target = typeof part.$ref === "string" ? targetOf(part.$ref, document, documents) : undefined;
    const isSchema = typeof target === "boolean" || owners.has(target as JsonObject);
    targets.set(part, isSchema ? target : undefined);
  }
  return { root, parts: [...owners.keys()], targets };
}

/** Returns the document of a schema: its own if it has an `$id`, otherwise the one around it. */
function documentOf(part: JsonObject, outer: Document, documents: Documents): Document {
  const id = part.$id || part.id;
  const [address, fragment] = typeof id === "string" ? addressOf(id, outer) : [outer.address, ""];
  // In older drafts, an `$id` may be an anchor.
  const hasOwnDocument = outer.root === part || (typeof id === "string" && id !== "" && fragment === "");
  const document = hasOwnDocument ? { address, root: part, anchors: new Map() } : outer;
  if (fragment !== "") document.anchors.set(decodedPart(fragment), part);
  if (!hasOwnDocument) return document;
  if (documents.has(address)) throw new Error(`two of its schemas have the $id ${JSON.stringify(id)}`);
  documents.set(address, document);
  return document;
}

/** Splits a URI into its absolute address without the fragment, and the fragment. */
function addressOf(uri: string, { address }: Document): [address: string, fragment: string] {
  // Most references lead into their own document.
  if (uri === "" || uri.startsWith("#")) return [address, uri.slice(1)];
  const url = new URL(uri, address);
  const fragment = url.hash.slice(1);
  url.hash = "";
  return [url.href, fragment];
}

/** Returns the value that a `$ref` leads to; `undefined` if it leads to nothing. */
function targetOf(ref: string, from: Document, documents: Documents): Json | undefined {
  const [address, fragment] = addressOf(ref, from);
  const { root, anchors } = documents.get(address) ?? {};
  if (fragment === "") return root;
  if (!fragment.startsWith("/")) return anchors?.get(decodedPart(fragment));
  let target: Json | undefined = root;
  for (const segment of fragment.slice(1).split("/")) {
    if (typeof target !== "object" || target === null) return undefined;
    const name = decodedPart(segment).replaceAll("~1", "/").replaceAll("~0", "~");
    target = Object.hasOwn(target, name) ? (target as JsonObject)[name] : undefined;
  }
  return target;
}

/** Decodes a part of a URI. Returns a part that is not valid unchanged. */
function decodedPart(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Returns the values directly inside a schema that may be schemas, also those of unknown keywords. */
function valuesInside(schema: JsonObject): Json[] {
  return Object.entries(schema).flatMap(([key, value]) => {
    if (DATA.includes(key)) return [];
    const kind = subschemaKind(key);
    if (Array.isArray(value)) return kind === "list" || key === "items" ? value : [];
    return kind === "named" && isJsonObject(value) ? Object.values(value) : [value];
  });
}
