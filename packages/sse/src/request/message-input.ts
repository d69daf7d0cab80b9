import type { RunOptions } from "@pawl/core";
import type { ViewMessage } from "@pawl/core/view";
import { checkInput, invalid } from "./check-body.ts";

/** A user's message: a text, or parts. */
export type MessageInput = NonNullable<RunOptions["input"]>;

/** A part of a message. */
export type InputPart = Exclude<MessageInput, string>[number];

/** The most files of a message. `run()` refuses more, too, but only after their base64 was decoded. */
const MOST_FILES = 20;

/**
 * Checks a message of parts: it needs visible text or a file, and not too long a text. A message of nothing
 * but text is returned as one text.
 *
 * @throws HTTPException 400.
 */
export function checkParts(parts: readonly InputPart[], maxInputLength: number): MessageInput {
  const text = parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n\n");
  const files = parts.filter(({ type }) => type === "file");
  if (files.length === 0) return checkInput(text, maxInputLength);
  if (files.length > MOST_FILES) throw invalid(`A message may have at most ${MOST_FILES} files.`);
  if (text.length > maxInputLength)
    throw invalid(`The message may have at most ${maxInputLength} characters.`);
  return parts;
}

/** Returns the text of a message, as it is stored. */
export function textOfInput(input: MessageInput): string {
  if (typeof input === "string") return input.toWellFormed();
  return input
    .flatMap((part) => (part.type === "text" ? [part.text] : []))
    .join("\n\n")
    .toWellFormed();
}

/**
 * Returns the part for a file that a client names by a URL: a `data:` URL with base64, or the path of
 * `GET /files/:id`, under any base.
 *
 * @throws HTTPException 400 for another URL, because the server loads nothing from elsewhere.
 */
export function fileAt(url: unknown, name: unknown): InputPart {
  const named = typeof name === "string" && name !== "" ? { name } : {};
  const text = typeof url === "string" ? url : "";
  const data = /^data:[^,]{0,300};base64,/.exec(text)?.[0];
  if (data !== undefined) return { type: "file", data: text.slice(data.length), ...named };
  const id = /^[^?#]{0,2000}\/files\/([0-9a-f]{64})(?:$|[?#])/.exec(text)?.[1];
  if (id === undefined)
    throw invalid(
      "A file of a message must be a `data:` URL with base64, or the path of a file that was uploaded to `POST /files`.",
    );
  return { type: "file", id, ...named };
}

/** Returns whether a message that is sent again is the stored one: its text and the bytes of its files. */
export async function isSameMessage(
  stored: Pick<ViewMessage, "text" | "parts">,
  input: MessageInput,
): Promise<boolean> {
  if (stored.text !== textOfInput(input) || !hasFilesOf(stored, input)) return false;
  return typeof input === "string" || hasFilesOf(stored, await Promise.all(input.map(named)));
}

/** Returns a part of a message with the id of its file, which is the SHA-256 of the bytes. */
async function named(part: InputPart): Promise<InputPart> {
  if (part.type !== "file" || typeof part.data !== "string") return part;
  const bytes = bytesIn(part.data);
  if (bytes === undefined) return { type: "file", id: "" };
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return { type: "file", id: Array.from(hash, (byte) => byte.toString(16).padStart(2, "0")).join("") };
}

/** Decodes base64. Returns `undefined` for another text. */
function bytesIn(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
  } catch {
    return undefined;
  }
}

/**
 * Returns whether a message that is sent again has the files of the stored one. Compares their number and
 * those that are given by ids, not bytes.
 */
export function hasFilesOf({ parts }: Pick<ViewMessage, "parts">, input: MessageInput): boolean {
  const stored = parts.flatMap((part) => (part.type === "file" ? [part.id] : []));
  const sent = typeof input === "string" ? [] : input.filter((part) => part.type === "file");
  return sent.length === stored.length && sent.every(({ id }, at) => id === undefined || id === stored[at]);
}
