import { canonicalJson, toJson } from "../../base/json.ts";
import { type ContentBlock, isText, isThinking } from "../../model/content.ts";

/**
 * Checks the content that an `afterModel` hook returned, and returns it for storage. A hook may change or
 * remove text blocks after the last thinking block. All other blocks must stay unchanged: the model signs the
 * content before its thinking, and clients have already seen the calls. A paused answer must stay unchanged
 * as a whole.
 *
 * @throws Error with the reason if the content is not allowed.
 */
export function checkRewrite(
  before: readonly ContentBlock[],
  after: readonly ContentBlock[],
  paused: boolean,
): readonly ContentBlock[] {
  if (paused && canonicalJson(before) !== canonicalJson(after)) {
    throw new Error("an answer that the model has paused must not be changed.");
  }
  const bound = before.findLastIndex(isThinking) + 1;
  const fixed = (blocks: readonly ContentBlock[]) =>
    canonicalJson([...blocks.slice(0, bound), ...blocks.slice(bound).filter((block) => !isText(block))]);
  if (!Array.isArray(after) || fixed(before) !== fixed(after)) {
    throw new Error("only text blocks that no thinking block follows may be changed or removed.");
  }
  if (after.some((block) => isText(block) && typeof block.text !== "string")) {
    throw new Error("a text block must have a string as its `text`.");
  }
  const known = new Set(before.map(canonicalJson));
  // A changed text block keeps only its text: citations, for example, quote the old words.
  const said = after.map((block) =>
    isText(block) && !known.has(canonicalJson(block)) ? { type: "text", text: block.text } : block,
  );
  return toJson(said) as ContentBlock[];
}
