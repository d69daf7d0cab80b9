import type { DataPart } from "@pawl/core/inspect";
import type { Citation } from "@pawl/core/view";
import type { OutcomePart } from "../base/outcomes.ts";
import type { UiPart } from "./ui-part.ts";

/** Returns a source, file, artifact or emitted part as a part of the AI SDK, which is also its chunk. */
export function outcomeUiPart(part: OutcomePart): UiPart {
  switch (part.type) {
    case "source":
      return sourcePart(part.id, part.url, part.title);
    case "file":
      // A page drops the name of a file in an answer, so a reloaded page does not get it either.
      return { type: "file", mediaType: part.mediaType, url: part.url ?? "" };
    case "data":
      return dataPart(part.name, part);
    case "artifact":
      return { type: "data-artifact", id: part.artifact.artifact_id, data: part.artifact };
  }
}

/** Returns an emitted part as a data part. */
export function dataPart(type: string, { id, data }: Pick<DataPart, "id" | "data">): UiPart {
  return { type, ...(id !== undefined && { id }), data };
}

/** Returns the sources that a text cites, as parts. */
export function citedParts(citations: readonly Citation[] = []): UiPart[] {
  return citations.map((citation) => {
    const { id, url, title, mediaType } = sourceOf(citation);
    return sourcePart(id, url, title, mediaType);
  });
}

/** Returns the field with a text's citations. */
// Only the newest AI SDK 7 has a field of its own for them. Earlier ones end the stream at an unknown field.
export function citationsField(citations: readonly Citation[] | undefined): { providerMetadata?: object } {
  if (citations === undefined) return {};
  const cited = citations.map((citation) => {
    const { id, url, title, mediaType } = sourceOf(citation);
    const place = url === undefined ? { sourceType: "document", mediaType } : { sourceType: "url", url };
    return { source: { type: "source", id, title, ...place }, citedText: citation.text };
  });
  return { providerMetadata: { pawl: { citations: cited } } };
}

/**
 * Returns a function that leaves out sources that are among `known` or that it has returned before. A message
 * has each source once, although several texts may cite it.
 */
export function eachSourceOnce(known: readonly UiPart[] = []): (parts: readonly UiPart[]) => UiPart[] {
  const told = new Set(known.map(({ sourceId }) => sourceId));
  return (parts) =>
    parts.filter(({ type, sourceId }) => {
      if (!type.startsWith("source-")) return true;
      const isNew = !told.has(sourceId);
      told.add(sourceId);
      return isNew;
    });
}

function sourceOf({ source, title, page }: Citation) {
  const url = source !== null && /^https?:/.test(source) ? source : undefined;
  const id = source ?? title ?? "document";
  const mediaType = page === null ? "text/plain" : "application/pdf";
  return { id, url, title: title ?? id, mediaType };
}

function sourcePart(
  sourceId: string,
  url: string | undefined,
  title: string,
  mediaType = "text/plain",
): UiPart {
  return url === undefined
    ? { type: "source-document", sourceId, mediaType, title }
    : { type: "source-url", sourceId, url, title };
}
