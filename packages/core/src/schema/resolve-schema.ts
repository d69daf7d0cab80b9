import { isJsonObject, type Json, type JsonObject } from "../base/json.ts";
import { subschemaKind } from "./subschemas.ts";

/** A copy of a schema, whose references are resolved. */
export interface Resolved {
  readonly root: JsonObject;
  /** The schema and all schemas inside it that are objects, also those of unknown keywords. */
  readonly parts: readonly JsonObject[];
  /** The schemas with a `$ref`, and where it leads; `undefined` if it leads to no schema inside this one. */
  readonly targets: ReadonlyMap<object, Json | undefined>;
}

/** A schema with an `$id`, or the whole schema. A `$ref` is relative to the one that it is in. */
interface Document {
  readonly address: string;
  readonly root: JsonObject;
  readonly anchors: Map<string, JsonObject>;
}

type Documents = Map<string, Document>;

/** The address of a schema without an `$id`. */
const START = "https://schema.invalid/";

/** Keywords whose value is data. */
const DATA: readonly string[] = ["const", "default", "dependentRequired", "$vocabulary", "$comment"];

/** Resolves the references of a JSON Schema. @throws if an `$id` or `$ref` is not a URI */
// `dereference()` of @cfworker/json-schema keys each schema by its whole address: long names cost their
// square, and what is inside of `$id`s is read again for each of them. Here each schema is read once.
export function resolveSchema(schema: JsonObject): Resolved {
  // The application may change its schema later.
  const root = structuredClone(schema);
  const documents: Documents = new Map();
  const owners = new Map<JsonObject, Document>([[root, { address: START, root, anchors: new Map() }]]);
  // A `Map` also lists the entries that are added meanwhile.
  for (const [part, around] of owners) {
    const document = documentOf(part, around, documents);
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
function documentOf(part: JsonObject, around: Document, documents: Documents): Document {
  const id = part.$id || part.id;
  const [address, fragment] = typeof id === "string" ? addressOf(id, around) : [around.address, ""];
  // In older drafts, an `$id` may be an anchor.
  const isOwn = around.root === part || (typeof id === "string" && id !== "" && fragment === "");
  const document = isOwn ? { address, root: part, anchors: new Map() } : around;
  if (fragment !== "") document.anchors.set(decodedPart(fragment), part);
  if (!isOwn) return document;
  if (documents.has(address)) throw new Error(`two of its schemas have the $id ${JSON.stringify(id)}`);
  documents.set(address, document);
  return document;
}

/** Returns the absolute address of a URI, without and with only its fragment. */
function addressOf(uri: string, { address }: Document): [address: string, fragment: string] {
  // Most references lead into their own document.
  if (uri === "" || uri.startsWith("#")) return [address, uri.slice(1)];
  const url = new URL(uri, address);
  const fragment = url.hash.slice(1);
  url.hash = "";
  return [url.href, fragment];
}

function targetOf(ref: string, from: Document, documents: Documents): Json | undefined {
  const [address, fragment] = addressOf(ref, from);
  const { root, anchors } = documents.get(address) ?? {};
  if (fragment === "") return root;
  if (!fragment.startsWith("/")) return anchors?.get(decodedPart(fragment));
  let at: Json | undefined = root;
  for (const segment of fragment.slice(1).split("/")) {
    if (typeof at !== "object" || at === null) return undefined;
    const name = decodedPart(segment).replaceAll("~1", "/").replaceAll("~0", "~");
    at = Object.hasOwn(at, name) ? (at as JsonObject)[name] : undefined;
  }
  return at;
}

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
