import { type Json, toJson } from "../base/json.ts";
import type { NewEvent } from "../log/event.ts";
import type { EventData } from "../log/event-data.ts";
import type { FileReference } from "../log/event-parts.ts";
import type { ContentBlock } from "../model/content.ts";
import { escapeTags } from "./sanitize.ts";

/**
 * The `type` of a block's source if the file's bytes are in the file store. Only Pawl uses it; no model API
 * knows it.
 */
const STORED_SOURCE = "stored";

/**
 * Returns the block for a file. Its source is a reference, so that the context can be built without the
 * bytes. `withFileBytes` replaces the reference when a request is sent. The `hookTags` are escaped in the
 * file's name. For a text, the reference lists them, so that every request escapes the same tags in its
 * content.
 */
export function fileBlock(
  { name, ...reference }: FileReference,
  hookTags: readonly string[] = [],
): ContentBlock {
  const { media_type } = reference;
  const tagsToEscape = media_type === "text/plain" && hookTags.length > 0 ? { tags: [...hookTags] } : {};
  return {
    type: media_type.startsWith("image/") ? "image" : "document",
    source: toJson({ type: STORED_SOURCE, ...reference, ...tagsToEscape }),
    ...(name !== undefined && { title: escapeTags(name, hookTags) }),
  };
}

/** The reference to a file in a block of the context. */
export interface FileInContext extends FileReference {
  /** The tags to escape in the text of the file. */
  tags?: string[];
}

/** Returns the reference in a block that {@link fileBlock} has made; `undefined` for any other block. */
export function fileOfBlock({ type, source, title }: ContentBlock): FileInContext | undefined {
  if (type !== "image" && type !== "document") return undefined;
  const { type: sourceType, ...reference } = Object(source) as { type?: Json } & FileInContext;
  return sourceType === STORED_SOURCE
    ? { ...reference, ...(typeof title === "string" && { name: title }) }
    : undefined;
}

/** Returns the references in blocks, also those in tool results. */
export function filesInBlocks(blocks: readonly ContentBlock[]): FileReference[] {
  return blocks.flatMap((block) => {
    if (block.type === "tool_result")
      return Array.isArray(block.content) ? filesInBlocks(block.content as ContentBlock[]) : [];
    return fileOfBlock(block) ?? [];
  });
}

/** Returns whether blocks have references to files, also in tool results. */
// Plain loops are faster: every turn checks the whole context.
export function haveFiles(blocks: readonly ContentBlock[]): boolean {
  for (const block of blocks) {
    if (block.type === "tool_result") {
      if (Array.isArray(block.content) && haveFiles(block.content as ContentBlock[])) return true;
    } else if (fileOfBlock(block) !== undefined) return true;
  }
  return false;
}

/**
 * Returns whether a block is a picture or a file, wherever its bytes are. A document of plain text is not.
 */
export function isMedia({ type, source }: ContentBlock): boolean {
  if (type !== "document") return type === "image";
  const { type: sourceType } = Object(source) as { type?: Json };
  return sourceType !== "text" && sourceType !== "content";
}

/** Returns whether blocks have pictures or documents, also in tool results. */
// Plain loops are faster: every turn checks the whole context.
export function haveMedia(blocks: readonly ContentBlock[]): boolean {
  for (const block of blocks) {
    if (block.type === "tool_result") {
      if (Array.isArray(block.content) && haveMedia(block.content as ContentBlock[])) return true;
    } else if (isMedia(block)) return true;
  }
  return false;
}

/**
 * Calls `replace` for each block, also for those in tool results. Returns the same list if nothing is
 * replaced.
 */
export function mapBlocks(
  blocks: readonly ContentBlock[],
  replace: (block: ContentBlock) => ContentBlock,
): readonly ContentBlock[] {
  const mapped = blocks.map((block) => {
    if (block.type !== "tool_result" || !Array.isArray(block.content)) return replace(block);
    const original = block.content as ContentBlock[];
    const content = mapBlocks(original, replace);
    return content === original ? block : { ...block, content: content as ContentBlock[] };
  });
  return mapped.every((block, index) => block === blocks[index]) ? blocks : mapped;
}

/**
 * Returns a text block in place of a file's block. Keeps the cache breakpoint of the file's block, if it has
 * one. `why` completes the sentence, e.g. `was deleted.`
 */
export function noteInPlace(block: ContentBlock, file: FileReference, why: string): ContentBlock {
  const { cache_control } = block;
  const { name, media_type, width, height, pages } = file;
  const size = width === undefined ? "" : `, ${width} × ${height} pixels`;
  const pageCount = pages === undefined ? "" : `, ${pages} pages`;
  const description = `${name === undefined ? "A file" : `The file ${JSON.stringify(name)}`} (${media_type}${size}${pageCount})`;
  return {
    type: "text",
    text: `[${description} ${why}]`,
    ...(cache_control !== undefined && { cache_control }),
  };
}

/** Returns the ids of the files to which events refer, without duplicates. */
export function fileIdsOf(events: readonly Pick<NewEvent, "type" | "data">[]): string[] {
  const ids = events.flatMap(({ type, data }) => {
    if (type === "user_message") return ((data as EventData["user_message"]).files ?? []).map(({ id }) => id);
    if (type !== "tool_result") return [];
    const { content } = data as EventData["tool_result"];
    return Array.isArray(content) ? filesInBlocks(content).map(({ id }) => id) : [];
  });
  return [...new Set(ids)];
}
