import { type ApiError, invalid } from "../../base/api-error.ts";
import { shown } from "../../base/shown.ts";
import { type ParsedRequest, type PlacedBlock, type Turn, turnsOf } from "../../base/wire-request.ts";
import { firstError } from "./checks.ts";
import type { LegacyRules } from "./roles.ts";

/**
 * Checks that every call has exactly one result, at the beginning of the next turn, and that every result has
 * a call.
 */
export function checkPairing(request: ParsedRequest, legacy: LegacyRules): ApiError | undefined {
  const turns = turnsOf(request.messages);
  return (
    (legacy.toolsRequired === true ? checkToolsDefined(request, turns) : undefined) ??
    checkUniqueIds(turns) ??
    checkServerResults(turns) ??
    firstError(
      turns,
      (turn, index) =>
        checkServerCalls(turn, turns[index + 1], request) ??
        checkCalls(turn, turns[index + 1]) ??
        checkResults(turn, turns[index - 1]),
    )
  );
}

function checkToolsDefined(request: ParsedRequest, turns: readonly Turn[]): ApiError | undefined {
  const used = turns.some(({ blocks }) =>
    blocks.some(({ block }) => block.type === "tool_use" || block.type === "tool_result"),
  );
  return used && (request.tools ?? []).length === 0
    ? invalid("Requests which include `tool_use` or `tool_result` blocks must define tools.")
    : undefined;
}

function checkUniqueIds(turns: readonly Turn[]): ApiError | undefined {
  const seen = new Set<string>();
  return firstError(
    turns.flatMap(({ blocks }) => blocks),
    ({ block, path }) => {
      if (block.type !== "tool_use") return undefined;
      if (seen.has(shown(block.id))) return invalid(`${path}: \`tool_use\` ids must be unique`);
      seen.add(shown(block.id));
      return undefined;
    },
  );
}

/** Checks that every result of a server tool has its call. */
function checkServerResults(turns: readonly Turn[]): ApiError | undefined {
  const called = new Set<unknown>();
  return firstError(
    turns.flatMap(({ blocks }) => blocks),
    ({ block, path }) => {
      const type = shown(block.type);
      if (type === "server_tool_use") called.add(block.id);
      if (type === "tool_result" || !type.endsWith("_tool_result")) return undefined;
      const id = block.tool_use_id;
      return called.has(id)
        ? undefined
        : invalid(
            `${path}: unexpected \`tool_use_id\` found in \`${type}\` blocks: ${id}. Each \`${type}\` block must have a corresponding \`server_tool_use\` block before it.`,
          );
    },
  );
}

/** Refuses calls that the next turn does not answer at its beginning, and calls that precede text. */
function checkCalls(turn: Turn, next: Turn | undefined): ApiError | undefined {
  const calls = turn.blocks.filter(({ block }) => block.type === "tool_use");
  if (calls.length === 0) return undefined;
  const lastText = turn.blocks.findLastIndex(({ block }) => block.type === "text");
  const answered = new Set(leadingResults(next).map(({ block }) => block.tool_use_id));
  const open = calls.filter(
    (call) => !answered.has(shown(call.block.id)) || turn.blocks.indexOf(call) < lastText,
  );
  return open.length === 0
    ? undefined
    : invalid(
        `messages.${open[0]?.message}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${open.map(({ block }) => block.id).join(", ")}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
      );
}

function checkResults(turn: Turn, previous: Turn | undefined): ApiError | undefined {
  const asked = new Set(
    previous?.role === "assistant"
      ? previous.blocks.filter(({ block }) => block.type === "tool_use").map(({ block }) => block.id)
      : [],
  );
  const seen = new Set<unknown>();
  return firstError(turn.blocks, ({ block, path }) => {
    if (block.type !== "tool_result") return undefined;
    const id = block.tool_use_id as string;
    if (!asked.has(id))
      return invalid(
        `${path}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
      );
    if (seen.has(id))
      return invalid(
        `${path}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${id}`,
      );
    seen.add(id);
    return undefined;
  });
}

function leadingResults(turn: Turn | undefined): PlacedBlock[] {
  if (turn?.role !== "user") return [];
  const end = turn.blocks.findIndex(({ block }) => block.type !== "tool_result");
  return end < 0 ? turn.blocks : turn.blocks.slice(0, end);
}

/**
 * Checks that a call of a server tool has its result in the same turn. Two kinds of turns may lack the
 * result, because the API continues them: the last one of a request, and one that only results of client
 * tools follow.
 */
function checkServerCalls(turn: Turn, next: Turn | undefined, request: ParsedRequest): ApiError | undefined {
  if (next === undefined || (next.role === "user" && leadingResults(next).length === next.blocks.length))
    return undefined;
  const done = new Set(
    turn.blocks.filter(({ block }) => block.type !== "tool_result").map(({ block }) => block.tool_use_id),
  );
  return firstError(turn.blocks, ({ block }) => {
    if (block.type !== "server_tool_use" || done.has(block.id as string)) return undefined;
    const { name, id } = block;
    const offered = request.tools?.some((tool) => tool.name === name) === true;
    return invalid(
      `\`${name}\` tool use with id \`${id}\` was found without a corresponding \`${name}_tool_result\` block${offered ? "" : `, but no \`${name}\` tool was provided`}`,
    );
  });
}
