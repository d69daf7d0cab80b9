import type { JsonObject } from "@pawl/core";
import { type ApiError, invalid } from "../../base/api-error.ts";
import type { ModelLimits, ThinkingMode } from "../../base/model-limits.ts";
import { type ParsedRequest, turnsOf } from "../../base/wire-request.ts";
import { type FoundThinking, isThought, readable, seenText, walkPrefix } from "../state/thinking-seal.ts";
import { firstError } from "./checks.ts";

/** Checks the thinking mode, and that thinking blocks are sent back unchanged. */
export function checkThinking(
  request: ParsedRequest,
  limits: ModelLimits,
  secret: string,
): ApiError | undefined {
  return checkMode(request, limits) ?? checkManualStart(request) ?? checkBlocks(request, limits, secret);
}

function checkMode(request: ParsedRequest, limits: ModelLimits): ApiError | undefined {
  const mode = request.thinking?.type as ThinkingMode | undefined;
  if (mode === undefined) return undefined;
  if (!limits.thinking.includes(mode)) {
    if (mode === "adaptive") return invalid("adaptive thinking is not supported on this model");
    // The wording for `between_tools` is a guess.
    return invalid(
      `"thinking.type.${mode}" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.`,
    );
  }
  if (mode === "enabled" && request.max_tokens <= Number(request.thinking?.budget_tokens))
    return invalid("`max_tokens` must be greater than `thinking.budget_tokens`.");
  const choice = request.tool_choice?.type;
  // The wording is verified for manual thinking. The API's documentation states the rule for all modes.
  return thinks(request.thinking) && (choice === "any" || choice === "tool")
    ? invalid("Thinking may not be enabled when tool_choice forces tool use.")
    : undefined;
}

/** Returns whether a request turns thinking on. */
export function thinks(thinking: JsonObject | undefined): boolean {
  return thinking !== undefined && thinking.type !== "disabled";
}

/** Checks, for manual thinking only, that the assistant's turn in progress begins with thinking. */
function checkManualStart(request: ParsedRequest): ApiError | undefined {
  if (request.thinking?.type !== "enabled") return undefined;
  const turns = turnsOf(request.messages);
  const turn = turns.findLast(({ role }) => role === "assistant");
  const first = turn?.blocks[0];
  if (turn === undefined || first === undefined || isThought(first.block)) return undefined;
  const continued = turn.blocks.some(({ block }) => block.type === "tool_use") || turns.at(-1) === turn;
  return continued
    ? invalid(
        `${first.path}.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${first.block.type}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks). We recommend you include thinking blocks from previous turns. To avoid this requirement, disable \`thinking\`. Please consult our documentation at https://docs.claude.com/en/docs/build-with-claude/extended-thinking`,
      )
    : undefined;
}

function checkBlocks(request: ParsedRequest, limits: ModelLimits, secret: string): ApiError | undefined {
  if (!hasThinking(request)) return undefined;
  const { thinking } = walkPrefix(request, secret);
  return (
    firstError(thinking, (found) => checkUntouched(found, request.model)) ??
    checkLatestWhole(readable(thinking, request.model)) ??
    (limits.bindsThinking ? checkBinding(readable(thinking, request.model)) : undefined)
  );
}

function hasThinking(request: ParsedRequest): boolean {
  return request.messages.some(({ content }) => typeof content !== "string" && content.some(isThought));
}

function checkUntouched({ block, path, seal, latest }: FoundThinking, model: string): ApiError | undefined {
  if (seal === undefined) return invalid(`${path}: Invalid \`signature\` in \`thinking\` block`);
  if (seal.model !== model || seal.text === seenText(block)) return undefined;
  return latest ? modified(path) : invalid(`${path}: Invalid \`signature\` in \`thinking\` block`);
}

/**
 * Checks adjacent thinking blocks in the latest assistant message: all of them must be there in order, or
 * none.
 */
function checkLatestWhole(thinking: readonly FoundThinking[]): ApiError | undefined {
  const latest = thinking.filter((found) => found.latest);
  return firstError(latest, ({ path, seal }, index) => {
    const { at, of } = seal ?? { at: 0, of: 1 };
    const next = latest[index + 1]?.seal;
    const startsRow = at === 0 || latest[index - 1]?.seal?.at === at - 1;
    const goesOn = at === of - 1 || (next?.at === at + 1 && next.of === of);
    return startsRow && goesOn ? undefined : modified(path);
  });
}

/**
 * Checks that everything before a thinking block is as it was when the block was made. Thinking blocks may be
 * missing at the start of the conversation, but not in the middle. A missing one must not return later.
 */
function checkBinding(thinking: readonly FoundThinking[]): ApiError | undefined {
  return firstError(thinking, ({ path, seal, base }, index) => {
    if (seal === undefined) return undefined;
    const chained = index === 0 || (index <= seal.before && thinking[index - 1]?.seal?.id === seal.prev);
    return seal.base === base && chained
      ? undefined
      : invalid(
          `${path}: Invalid \`signature\` in \`thinking\` block. The block is bound to a different conversation. Remove the block, or set \`thinking.block_binding.prefix_mismatch_behavior\` to "drop_block".`,
        );
  });
}

function modified(path: string): ApiError {
  return invalid(
    `${path}: \`thinking\` or \`redacted_thinking\` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.`,
  );
}
