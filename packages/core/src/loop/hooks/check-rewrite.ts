import { canonicalJson, toJson } from "../../base/json.ts";
import { type ContentBlock, isText, isThinking } from "../../model/content.ts";

/**
 * Checks the blocks that a hook returned for an answer. Text after the last thinking block may have changed
 * or be gone; everything else must be unchanged, because the model signs what precedes its thinking, and
 * calls were already shown. An answer that the model has paused must go back to it unchanged.
 *
 * @throws Error that says what is wrong.
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
  // A text block that was changed keeps only its text: e.g. citations refer to the old words.
  const said = after.map((block) =>
    isText(block) && !known.has(canonicalJson(block)) ? { type: "text", text: block.text } : block,
  );
  return toJson(said) as ContentBlock[];
}
