import { type Json, toJson } from "../base/json.ts";
import type { NewEvent } from "../log/event.ts";
import type { EventData } from "../log/event-data.ts";
import type { FileReference } from "../log/event-parts.ts";
import type { ContentBlock } from "../model/content.ts";
import { withoutTags } from "./sanitize.ts";

/** The `type` of the source of a block whose bytes are in the file store. No API knows it. */
const STORED_SOURCE = "stored";

/**
 * Returns the block for a file. Its source is a reference, so that the context can be built without the
 * bytes; `withFileBytes` replaces it when a request is sent. Neither the file's name nor its text may contain
 * the `hookTags`; those for the text are part of the reference, so that it is always sent in the same form.
 */
export function fileBlock(
  { name, ...reference }: FileReference,
  hookTags: readonly string[] = [],
): ContentBlock {
  const { media_type } = reference;
  const without = media_type === "text/plain" && hookTags.length > 0 ? { tags: [...hookTags] } : {};
  return {
    type: media_type.startsWith("image/") ? "image" : "document",
    source: toJson({ type: STORED_SOURCE, ...reference, ...without }),
    ...(name !== undefined && { title: withoutTags(name, hookTags) }),
  };
}

/** A file as the context has it. */
export interface FileInContext extends FileReference {
  /** The tags that the text of the file must not contain. */
  tags?: string[];
}

/** Returns the reference in a block that {@link fileBlock} has made; `undefined` for any other block. */
export function fileOfBlock({ type, source, title }: ContentBlock): FileInContext | undefined {
  if (type !== "image" && type !== "document") return undefined;
  const { type: from, ...reference } = Object(source) as { type?: Json } & FileInContext;
  return from === STORED_SOURCE
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
// Plain loops: every turn asks this about the whole context.
export function haveFiles(blocks: readonly ContentBlock[]): boolean {
  for (const block of blocks) {
    if (block.type === "tool_result") {
      if (Array.isArray(block.content) && haveFiles(block.content as ContentBlock[])) return true;
    } else if (fileOfBlock(block) !== undefined) return true;
  }
  return false;
}

/** Replaces blocks, also those in tool results. Returns the same list if nothing is replaced. */
export function mapBlocks(
  blocks: readonly ContentBlock[],
  replace: (block: ContentBlock) => ContentBlock,
): readonly ContentBlock[] {
  const mapped = blocks.map((block) => {
    if (block.type !== "tool_result" || !Array.isArray(block.content)) return replace(block);
    const before = block.content as ContentBlock[];
    const content = mapBlocks(before, replace);
    return content === before ? block : { ...block, content: content as ContentBlock[] };
  });
  return mapped.every((block, at) => block === blocks[at]) ? blocks : mapped;
}

/** Returns a text in place of a file. It keeps the cache breakpoint of the file's block, if it has one. */
export function noteInPlace(block: ContentBlock, file: FileReference, why: string): ContentBlock {
  const { cache_control } = block;
  const { name, media_type, width, height, pages } = file;
  const size = width === undefined ? "" : `, ${width} × ${height} pixels`;
  const length = pages === undefined ? "" : `, ${pages} pages`;
  const what = `${name === undefined ? "A file" : `The file ${JSON.stringify(name)}`} (${media_type}${size}${length})`;
  return { type: "text", text: `[${what} ${why}]`, ...(cache_control !== undefined && { cache_control }) };
}

/** Returns the ids of the files that events refer to. */
export function fileIdsOf(events: readonly Pick<NewEvent, "type" | "data">[]): string[] {
  const ids = events.flatMap(({ type, data }) => {
    if (type === "user_message") return ((data as EventData["user_message"]).files ?? []).map(({ id }) => id);
    if (type !== "tool_result") return [];
    const { content } = data as EventData["tool_result"];
    return Array.isArray(content) ? filesInBlocks(content).map(({ id }) => id) : [];
  });
  return [...new Set(ids)];
}
