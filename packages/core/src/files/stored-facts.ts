import { isJsonObject, type Json } from "../base/json.ts";
import { type FileFacts, LARGEST_UPLOAD } from "./inspect-file.ts";

/** The ending of the file that has the facts of another. It is no known type, so a bucket takes both. */
const FACTS_ENDING = ".facts";

/** Returns the path at which the facts of a file are kept: beside its bytes. */
export function factsPath(folder: string, id: string): string {
  return `${folder}/${id}${FACTS_ENDING}`;
}

/** Returns the path of the bytes whose facts are at this path; any other path unchanged. */
export function bytesPath(path: string): string {
  return path.endsWith(FACTS_ENDING) ? path.slice(0, -FACTS_ENDING.length) : path;
}

/** Returns the facts as they are stored. */
export function factsText(facts: FileFacts): string {
  return JSON.stringify(facts);
}

const NUMBERS = ["width", "height", "pages"] as const;

/** Reads stored facts; `undefined` if they are damaged. */
export function factsIn(content: Uint8Array): FileFacts | undefined {
  try {
    const read: Json = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(content));
    if (!isJsonObject(read)) return undefined;
    const { mediaType, bytes } = read;
    if (typeof mediaType !== "string" || !isWholeAbove0(bytes) || bytes > LARGEST_UPLOAD) return undefined;
    const facts: FileFacts = { mediaType, bytes };
    for (const name of NUMBERS) {
      const value = read[name];
      if (value === undefined) continue;
      if (!isWholeAbove0(value)) return undefined;
      facts[name] = value;
    }
    return facts;
  } catch {
    return undefined;
  }
}

function isWholeAbove0(value: Json | undefined): value is number {
  return Number.isSafeInteger(value) && Number(value) > 0;
}
