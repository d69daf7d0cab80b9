import type { StoredOf } from "../log/event.ts";
import type { FileReference } from "../log/event-parts.ts";
import type { ContentBlock } from "../model/content.ts";
import type { Citation, ViewPart } from "./view.ts";

// Pages load this module, so it is written for few bytes.

/** Returns a file of a message or a result as a part. */
export function filePart({ media_type: mediaType, ...file }: FileReference, key: string): ViewPart {
  return { type: "file", key, mediaType, ...file };
}

/** Returns the sources and files of a result as parts. */
export function outcomeParts({ seq, data }: StoredOf<"tool_result">): ViewPart[] {
  const { call_id: callId, report, files = [] } = data;
  const sources = report?.sources ?? [];
  return [
    ...sources.map((source): ViewPart => ({ type: "source", key: "", ...source })),
    ...files.map((file) => filePart(file, "")),
  ].map((part, at) => ({ ...part, key: `${seq}:${at}`, callId }));
}

/** Returns the sources that the API's own web search has found, as parts. `key` is that of its block. */
export function foundParts({ content }: ContentBlock, key: string): ViewPart[] {
  return objectsIn(content).flatMap(({ url, title }, at): ViewPart[] =>
    /^https?:/.test(url) ? [{ type: "source", key: `${key}:${at}`, id: url, url, title: title ?? url }] : [],
  );
}

/** Returns the citations of a text, as a field of its part. */
export function citationsIn({ citations }: ContentBlock): { citations?: Citation[] } {
  const shown = objectsIn(citations).map((one) => ({
    text: one.cited_text,
    source: one.url ?? one.source ?? null,
    title: one.title ?? one.document_title ?? null,
    page: one.start_page_number ?? null,
  }));
  return shown.length > 0 ? { citations: shown } : {};
}

/** An object that the model's API has made. */
// biome-ignore lint/suspicious/noExplicitAny: the fields have the types that the API gives them.
type FromApi = Record<string, any>;

function objectsIn(value: unknown): FromApi[] {
  return [value ?? []].flat().map(Object);
}
