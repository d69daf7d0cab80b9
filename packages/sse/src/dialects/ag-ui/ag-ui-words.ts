import type { Json, JsonObject } from "@pawl/core";
import { invalid } from "../../request/check-body.ts";
import { fileAt, type InputPart } from "../../request/message-input.ts";

/** The types of parts with a file. The type of a file is found by its bytes, so none of these is trusted. */
const MEDIA: readonly Json[] = ["image", "document", "audio", "video"];

/**
 * Returns the parts of a message's content.
 *
 * @throws HTTPException 400 for content that is neither text nor a file.
 */
export function partsIn(content: Json | undefined): InputPart[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return (Array.isArray(content) ? content : []).map((given): InputPart => {
    const part = objectOf(given);
    const { type, text, metadata } = part;
    if (type === "text" && typeof text === "string") return { type, text };
    if (type === "binary") return binary(part);
    if (!MEDIA.includes(type ?? null)) throw invalid("A message must consist of text and files.");
    const { type: from, value } = objectOf(part.source);
    const { filename } = objectOf(metadata);
    if (from === "data") return fileAt(`data:;base64,${value}`, filename);
    return fileAt(from === "file" ? `/files/${value}` : value, filename);
  });
}

/** Converts a part of AG-UI before 1.0. */
function binary({ data, url, id, filename }: JsonObject): InputPart {
  if (typeof data === "string") return fileAt(`data:;base64,${data}`, filename);
  return fileAt(typeof id === "string" ? `/files/${id}` : url, filename);
}

function objectOf(value: Json | undefined): JsonObject {
  return value !== null && typeof value === "object" && !Array.isArray(value) ? value : {};
}
