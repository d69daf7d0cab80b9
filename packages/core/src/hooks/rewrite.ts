import { canonicalJson } from "../json.ts";
import { type ContentBlock, isText, isThinking } from "../model/content.ts";

/**
 * The rewritten blocks of an answer, if they may stand in for the answer: texts behind the last thinking block may have
 * changed or be gone, everything else is as it was. A model signs what precedes its thinking, and a call has been shown.
 *
 * @throws Error that says what is wrong.
 */
export function checkRewrite(
  before: readonly ContentBlock[],
  after: readonly ContentBlock[],
): readonly ContentBlock[] {
  const bound = before.findLastIndex(isThinking) + 1;
  const fixed = (blocks: readonly ContentBlock[]) =>
    canonicalJson([...blocks.slice(0, bound), ...blocks.slice(bound).filter((block) => !isText(block))]);
  if (!Array.isArray(after) || fixed(before) !== fixed(after)) {
    throw new Error("only texts that no thinking block follows may be changed.");
  }
  return after;
}
