import { isJsonObject, type Json } from "../base/json.ts";
import { type FileFacts, LARGEST_UPLOAD } from "./inspect-file.ts";

/**
 * The extension of a file with the facts of another. Its media type is unknown, like that of a file without
 * extension, so a bucket that accepts one accepts both.
 */
const FACTS_EXTENSION = ".facts";

/** Returns the path at which the facts of a file are kept: beside its bytes. */
export function factsPath(folder: string, id: string): string {
  return `${folder}/${id}${FACTS_EXTENSION}`;
}

/** Returns the path of a file's bytes for the path of its facts. Returns any other path unchanged. */
export function bytesPath(path: string): string {
  return path.endsWith(FACTS_EXTENSION) ? path.slice(0, -FACTS_EXTENSION.length) : path;
}

/** Returns the text in which facts are stored. */
export function factsText(facts: FileFacts): string {
  return JSON.stringify(facts);
}

const OPTIONAL_NUMBERS = ["width", "height", "pages"] as const;

/** Parses stored facts; returns `undefined` if they are damaged. */
export function factsIn(content: Uint8Array): FileFacts | undefined {
  try {
    const read: Json = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(content));
    if (!isJsonObject(read)) return undefined;
    const { mediaType, bytes } = read;
    if (typeof mediaType !== "string" || !isPositiveInteger(bytes) || bytes > LARGEST_UPLOAD)
      return undefined;
    const facts: FileFacts = { mediaType, bytes };
    for (const name of OPTIONAL_NUMBERS) {
      const value = read[name];
      if (value === undefined) continue;
      if (!isPositiveInteger(value)) return undefined;
      facts[name] = value;
    }
    return facts;
  } catch {
    return undefined;
  }
}

function isPositiveInteger(value: Json | undefined): value is number {
  return Number.isSafeInteger(value) && Number(value) > 0;
}
