import { createHash } from "node:crypto";
import type { ContentBlock, Json } from "@pawl/core";
import { pictureSize, pictureType } from "@pawl/core/model";

/**
 * Describes a file that a model has received, by its bytes, e.g. `a PNG picture of 640 × 480 pixels (12 kB,
 * SHA-256 3fa9c2d1…)`. Simulated models say this of a file, because they do not see what it shows. Returns
 * `undefined` for a block that is not a file.
 *
 * @example
 * ```ts
 * import { receivedFile } from "@pawl/example-data-parts";
 *
 * const source = { type: "base64", media_type: "image/gif", data: "R0lGODlhQAHIAA==" };
 * console.log(receivedFile({ type: "image", source })); // a GIF picture of 320 × 200 pixels (10 bytes, …
 * ```
 */
export function receivedFile({ type, source, title }: ContentBlock): string | undefined {
  if ((type !== "image" && type !== "document") || !isObject(source)) return undefined;
  const { type: form, data } = source;
  if (typeof data !== "string") return undefined;
  const bytes = Buffer.from(data, form === "base64" ? "base64" : "utf8");
  const hash = createHash("sha256").update(bytes).digest("hex").slice(0, 8);
  const named = typeof title === "string" ? ` called "${title}"` : "";
  return `${kindOf(bytes, form)}${named} (${sizeOf(bytes.length)}, SHA-256 ${hash}…)`;
}

/** The files of a conversation, each described by {@link receivedFile}. */
export interface ReceivedFiles {
  /** The files of the message that is to be answered. Empty once tools have been called for it. */
  now: string[];
  /** The files of earlier messages. */
  before: string[];
  /** Whether the message that is to be answered has files and no text. */
  alone: boolean;
}

/** Finds the files that a user has sent in the messages of a request. */
export function receivedFiles(
  messages: readonly { role: string; content: string | readonly ContentBlock[] }[],
): ReceivedFiles {
  const last = messages.findLastIndex(({ role }) => role === "assistant");
  const blocksOf = (some: typeof messages) =>
    some.flatMap(({ role, content }) => (role === "user" && typeof content !== "string" ? content : []));
  const filesIn = (blocks: readonly ContentBlock[]) => blocks.flatMap((block) => receivedFile(block) ?? []);
  const newest = blocksOf(messages.slice(last + 1));
  const now = filesIn(newest);
  const at = newest.findLastIndex((block) => receivedFile(block) !== undefined);
  return {
    now,
    before: filesIn(blocksOf(messages.slice(0, last + 1))),
    alone: now.length > 0 && !isWritten(newest[at + 1]),
  };
}

/** Checks whether a block is text that the user has written. Text that Pawl inserts is in a tag. */
function isWritten(block: ContentBlock | undefined): boolean {
  return block?.type === "text" && !/^<(note|knowledge|artifact)\b/.test(String(block.text));
}

/** Says what a simulated model knows of new files. */
export function wordsOnFiles(files: readonly string[]): string {
  const [one = "", ...more] = files;
  return more.length === 0
    ? `I am a simulation, so I cannot see what is in a file. What reached me is ${one}.`
    : `I am a simulation, so I cannot see what is in files. This is what reached me:\n\n${files.map((file) => `- ${file}`).join("\n")}`;
}

function kindOf(bytes: Uint8Array, form: Json | undefined): string {
  if (form === "text") return "a text";
  const type = pictureType(bytes);
  if (type === undefined) return "a PDF";
  const size = pictureSize(bytes, type);
  const name = type.replace("image/", "").toUpperCase().replace("WEBP", "WebP");
  return `a ${name} picture of ${size?.width ?? "?"} × ${size?.height ?? "?"} pixels`;
}

function sizeOf(bytes: number): string {
  return bytes < 1_000 ? `${bytes} bytes` : `${Math.round(bytes / 1_000)} kB`;
}

function isObject(value: unknown): value is { readonly [field: string]: Json | undefined } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
