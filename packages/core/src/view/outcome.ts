import type { StoredOf } from "../log/event.ts";
import type { FileReference } from "../log/event-parts.ts";
import type { ContentBlock } from "../model/content.ts";
import type { Citation, ViewPart } from "./view.ts";

// Browsers load this module, so its code is short.

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
  ].map((part, index) => ({ ...part, key: `${seq}:${index}`, callId }));
}

/**
 * Returns the sources that the API's own web search has found, as parts. `key` is the key of the result's
 * block.
 */
export function foundParts({ content }: ContentBlock, key: string): ViewPart[] {
  return objectsIn(content).flatMap(({ url, title }, index): ViewPart[] =>
    /^https?:/.test(url)
      ? [{ type: "source", key: `${key}:${index}`, id: url, url, title: title ?? url }]
      : [],
  );
}

/** Returns the citations of a text, as a field of its part. */
export function citationsIn({ citations }: ContentBlock): { citations?: Citation[] } {
  const shown = objectsIn(citations).map((citation) => ({
    text: citation.cited_text,
    source: citation.url ?? citation.source ?? null,
    title: citation.title ?? citation.document_title ?? null,
    page: citation.start_page_number ?? null,
  }));
  return shown.length > 0 ? { citations: shown } : {};
}

/** An object that the model's API has made. */
// biome-ignore lint/suspicious/noExplicitAny: the fields have the types that the API gives them.
type FromApi = Record<string, any>;

/** Returns the objects of a list, or a single value as a list; an empty list for a missing value. */
function objectsIn(value: unknown): FromApi[] {
  return [value ?? []].flat().map(Object);
}
