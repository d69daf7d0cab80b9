import { isJsonObject, type Json } from "../../base/json.ts";
import { fileBlock } from "../../context/file-blocks.ts";
import { LARGEST_UPLOAD, MOST_PAGES } from "../../files/inspect-file.ts";
import type { FileToKeep } from "../../files/user-files.ts";
import type { EventData } from "../../log/event-data.ts";
import type { FileReference } from "../../log/event-parts.ts";
import type { ContentBlock } from "../../model/content.ts";

/** The most files of one tool result. A message may have as many. */
const MOST_IN_RESULT = 20;

/** Matches the part of a `data:` URL before its base64. */
export const DATA_URL: RegExp = /^data:[^,]{0,300};base64,/;

/** A tool result with references instead of bytes, and the files to store. */
interface Referring {
  data: EventData["tool_result"];
  kept: FileToKeep[];
}

/**
 * Replaces the pictures and PDFs in a tool result, so that the log does not have their bytes:
 *
 * - In its `content`, a file becomes a reference. A file that is refused or is a text becomes a note.
 * - In its `result`, the same base64 becomes `file:<id>`, also in a `data:` URL. Such files are listed in the
 *   result's `files`, which people see.
 *
 * `inspect` decodes and inspects the base64 of a file.
 */
export async function withReferences(
  data: EventData["tool_result"],
  inspect: (base64: string) => Promise<FileToKeep>,
): Promise<Referring> {
  const kept: FileToKeep[] = [];
  if (!Array.isArray(data.content)) return { data, kept };
  const byBase64 = new Map<string, FileReference>();
  let left = { files: MOST_IN_RESULT, bytes: LARGEST_UPLOAD, pages: MOST_PAGES };
  const content: ContentBlock[] = [];
  for (const block of data.content) {
    const base64 = base64Of(block);
    if (base64 === undefined) content.push(block);
    else content.push(await referenceTo(block, base64));
  }
  if (content.every((block, index) => block === data.content?.[index])) return { data, kept };
  /** The files that `result` has, by id. */
  const inResult = new Map<string, FileReference>();
  const result = byBase64.size === 0 ? data.result : withoutBase64(data.result);
  const files = [...inResult.values()];
  return { data: { ...data, content, result, ...(files.length > 0 && { files }) }, kept };

  /** Returns the block that refers to a file, or a note if the file is left out. */
  async function referenceTo({ title }: ContentBlock, base64: string): Promise<ContentBlock> {
    try {
      const found = await inspect(base64);
      const { content: _, id, mediaType: media_type, ...facts } = found;
      if (media_type === "text/plain") return leftOutNote("it is neither a picture nor a PDF.");
      const rest = {
        files: left.files - 1,
        bytes: left.bytes - facts.bytes,
        pages: left.pages - (facts.pages ?? 0),
      };
      if (Math.min(...Object.values(rest)) < 0) return leftOutNote("the result has too many files.");
      left = rest;
      const file = { id, media_type, ...facts, ...(typeof title === "string" && { name: title }) };
      byBase64.set(base64, file);
      kept.push(found);
      return fileBlock(file);
    } catch (error) {
      return leftOutNote((error as Error).message);
    }
  }

  /** Returns a value in which `file:<id>` stands for the base64 of each known file. */
  function withoutBase64(value: Json): Json {
    if (typeof value === "string") {
      const file = byBase64.get(value.replace(DATA_URL, ""));
      if (file !== undefined) inResult.set(file.id, file);
      return file === undefined ? value : `file:${file.id}`;
    }
    if (Array.isArray(value)) return value.map(withoutBase64);
    if (!isJsonObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([field, part]) => [field, withoutBase64(part)]));
  }
}

function leftOutNote(why: string): ContentBlock {
  return { type: "text", text: `[A file of this result is left out: ${why}]` };
}

/** Returns the base64 in a picture or a PDF; `undefined` for any other block. */
function base64Of({ type, source }: ContentBlock): string | undefined {
  if ((type !== "image" && type !== "document") || !isJsonObject(source)) return undefined;
  return source.type === "base64" && typeof source.data === "string" ? source.data : undefined;
}
