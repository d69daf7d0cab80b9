import { canonicalJson, toJson } from "../../base/json.ts";
import { type ContentBlock, isText, isThinking } from "../../model/content.ts";

/**
 * The rewritten blocks of an answer, if they may stand in for the answer: texts behind the last thinking
 * block may have changed or be gone, everything else is as it was. A model signs what precedes its thinking,
 * and a call has been shown. An answer that the model has paused has to go back to it as it is.
 *
 * @throws Error that says what is wrong.
 */
export function checkRewrite(
  before: readonly ContentBlock[],
  after: readonly ContentBlock[],
  paused: boolean,
): readonly ContentBlock[] {
  if (paused && canonicalJson(before) !== canonicalJson(after)) {
    throw new Error("an answer that the model has paused may not be changed.");
  }
  const bound = before.findLastIndex(isThinking) + 1;
  const fixed = (blocks: readonly ContentBlock[]) =>
    canonicalJson([...blocks.slice(0, bound), ...blocks.slice(bound).filter((block) => !isText(block))]);
  if (!Array.isArray(after) || fixed(before) !== fixed(after)) {
    throw new Error("only texts that no thinking block follows may be changed.");
  }
  if (after.some((block) => isText(block) && typeof block.text !== "string")) {
    throw new Error("a text block has a text.");
  }
  const known = new Set(before.map(canonicalJson));
  // A block that has other words has nothing else that the answer's had, e.g. citations of those words.
  const said = after.map((block) =>
    isText(block) && !known.has(canonicalJson(block)) ? { type: "text", text: block.text } : block,
  );
  return toJson(said) as ContentBlock[];
}
