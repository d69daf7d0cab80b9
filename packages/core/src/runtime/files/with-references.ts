import { isJsonObject, type Json } from "../../base/json.ts";
import { fileBlock } from "../../context/file-blocks.ts";
import { LARGEST_UPLOAD, MOST_PAGES } from "../../files/inspect-file.ts";
import type { FileToKeep } from "../../files/user-files.ts";
import type { EventData } from "../../log/event-data.ts";
import type { FileReference } from "../../log/event-parts.ts";
import type { ContentBlock } from "../../model/content.ts";

/** The most files of one tool result, as of a message. */
const MOST_IN_RESULT = 20;

/** What comes before the base64 in a `data:` URL. */
export const DATA_URL: RegExp = /^data:[^,]{0,300};base64,/;

/** A tool result with references, and the files that it refers to. */
interface Referring {
  data: EventData["tool_result"];
  kept: FileToKeep[];
}

/**
 * Replaces the pictures and PDFs in a result's content by references. If its `result` has the same base64,
 * also in a `data:` URL, that becomes `file:<id>`, so that the log does not have the bytes, and the file is
 * one of the result's `files`, which people see. A file that no model reads becomes a note. `inspect` decodes
 * and inspects the base64 of a file.
 */
export async function withReferences(
  data: EventData["tool_result"],
  inspect: (base64: string) => Promise<FileToKeep>,
): Promise<Referring> {
  const kept: FileToKeep[] = [];
  if (!Array.isArray(data.content)) return { data, kept };
  const ids = new Map<string, FileReference>();
  let left = { files: MOST_IN_RESULT, bytes: LARGEST_UPLOAD, pages: MOST_PAGES };
  const content: ContentBlock[] = [];
  for (const block of data.content) {
    const base64 = base64Of(block);
    if (base64 === undefined) content.push(block);
    else content.push(await reference(block, base64));
  }
  if (content.every((block, at) => block === data.content?.[at])) return { data, kept };
  const shown = new Map<string, FileReference>();
  const result = ids.size === 0 ? data.result : named(data.result);
  const files = [...shown.values()];
  return { data: { ...data, content, result, ...(files.length > 0 && { files }) }, kept };

  async function reference({ title }: ContentBlock, base64: string): Promise<ContentBlock> {
    try {
      const found = await inspect(base64);
      const { content: _, id, mediaType: media_type, ...facts } = found;
      if (media_type === "text/plain") return leftOut("it is neither a picture nor a PDF.");
      const rest = {
        files: left.files - 1,
        bytes: left.bytes - facts.bytes,
        pages: left.pages - (facts.pages ?? 0),
      };
      if (Math.min(...Object.values(rest)) < 0) return leftOut("the result has too many files.");
      left = rest;
      const file = { id, media_type, ...facts, ...(typeof title === "string" && { name: title }) };
      ids.set(base64, file);
      kept.push(found);
      return fileBlock(file);
    } catch (error) {
      return leftOut((error as Error).message);
    }
  }

  function named(value: Json): Json {
    if (typeof value === "string") {
      const file = ids.get(value.replace(DATA_URL, ""));
      if (file !== undefined) shown.set(file.id, file);
      return file === undefined ? value : `file:${file.id}`;
    }
    if (Array.isArray(value)) return value.map(named);
    if (!isJsonObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([field, part]) => [field, named(part)]));
  }
}

function leftOut(why: string): ContentBlock {
  return { type: "text", text: `[A file of this result is left out: ${why}]` };
}

/** Returns the base64 in a picture or a PDF; `undefined` for any other block. */
function base64Of({ type, source }: ContentBlock): string | undefined {
  if ((type !== "image" && type !== "document") || !isJsonObject(source)) return undefined;
  return source.type === "base64" && typeof source.data === "string" ? source.data : undefined;
}
