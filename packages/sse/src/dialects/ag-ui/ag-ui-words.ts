import type { Json } from "@pawl/core";
import { invalid } from "../../request/check-body.ts";

/**
 * Returns the text of a message's content.
 *
 * @throws HTTPException 400 for content that is not text.
 */
export function wordsOf(content: Json | undefined): string {
  if (typeof content === "string") return content;
  const parts = Array.isArray(content) ? content : [];
  return parts
    .map((part) => {
      const text = part !== null && typeof part === "object" && !Array.isArray(part) ? part : {};
      if (text.type !== "text" || typeof text.text !== "string")
        throw invalid("A message must consist of text.");
      return text.text;
    })
    .join("\n\n");
}
