import { deepFreeze } from "../base/freeze.ts";
import type { FileReference } from "../log/event-parts.ts";
import type { ContentBlock, Message } from "../model/content.ts";
import type { ModelClient, ModelRequest } from "../model/model-client.ts";
import { type FileInContext, fileOfBlock, filesInBlocks, mapBlocks, noteInPlace } from "./file-blocks.ts";
import { escapeTags } from "./sanitize.ts";

/**
 * Reads a file: a text as text, any other file as base64. Resolves to `undefined` if the file was deleted.
 */
export type ReadForModel = (file: FileReference) => Promise<string | undefined>;

/**
 * Caches messages with the bytes of their files, by the message without the bytes. `reads` lists the kinds of
 * files that the model could read.
 */
export type FilledMessages = WeakMap<Message, { reads: string; filled: Message }>;

/**
 * Puts the bytes of files into a request, just before it is sent. A file that was deleted, or that the model
 * cannot read, becomes a note. Returns the same object for the same message in every request, so that a model
 * client can cache its own form of it.
 */
export async function withFileBytes(
  request: ModelRequest,
  model: Pick<ModelClient, "reads">,
  read: ReadForModel,
  cache: FilledMessages,
): Promise<ModelRequest> {
  const reads = (model.reads ?? []).toSorted().join();
  const messages = await Promise.all(
    request.messages.map(async (message) => {
      const cached = cache.get(message);
      if (cached?.reads === reads) return cached.filled;
      const filled = await filledMessage(message, model, read);
      if (filled !== message) cache.set(message, { reads, filled });
      return filled;
    }),
  );
  return messages.every((message, index) => message === request.messages[index])
    ? request
    : { ...request, messages };
}

/** Returns a message with the bytes of its files; the same message if it has none. */
async function filledMessage(
  message: Message,
  model: Pick<ModelClient, "reads">,
  read: ReadForModel,
): Promise<Message> {
  // Only the runtime writes user messages. An answer may have a made-up reference.
  if (message.role !== "user") return message;
  const files = filesInBlocks(message.content).filter((file) => canRead(model, file.media_type));
  const contents = new Map<string, string | undefined>();
  for (const file of files) contents.set(file.id, await read(file));
  const content = mapBlocks(message.content, (block) => {
    const file = fileOfBlock(block);
    if (file === undefined) return block;
    if (!canRead(model, file.media_type))
      return noteInPlace(block, file, "is left out: this model cannot read it.");
    const data = contents.get(file.id);
    return data === undefined ? noteInPlace(block, file, "was deleted.") : filledBlock(block, file, data);
  });
  if (content === message.content) return message;
  const filled = { ...message, content: content as ContentBlock[] };
  return Object.isFrozen(message) ? deepFreeze(filled) : filled;
}

/** Returns whether a model reads files of this type. Every model reads text. */
export function canRead({ reads = [] }: Pick<ModelClient, "reads">, mediaType: string): boolean {
  if (mediaType.startsWith("image/")) return reads.includes("image");
  return mediaType === "application/pdf" ? reads.includes("pdf") : mediaType === "text/plain";
}

/** Replaces the reference in a block by the content of the file. Only documents keep their title. */
function filledBlock(
  block: ContentBlock,
  { media_type, tags = [] }: FileInContext,
  content: string,
): ContentBlock {
  const { title, ...rest } = block;
  const isText = media_type === "text/plain";
  const data = isText ? escapeTags(content, tags) : content;
  const type = isText ? "text" : "base64";
  const named = block.type === "document" && title !== undefined ? { title } : {};
  return { ...rest, ...named, source: { type, media_type, data } };
}
