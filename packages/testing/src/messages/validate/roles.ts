import { type ApiError, invalid } from "../../base/api-error.ts";
import type { ModelLimits } from "../../base/model-limits.ts";
import { asBlocks, type ParsedRequest, type WireMessage } from "../../base/wire-request.ts";
import { lastBlocks, type PausedTurns } from "../state/paused-turns.ts";
import { firstError } from "./checks.ts";
import { checkMedia } from "./media.ts";

/** Rules that the API had in the past, or has on other hosts. Default: all off. */
export interface LegacyRules {
  /** Whether the roles user and assistant must alternate, beginning with the user. */
  alternatingRoles?: boolean;
  /** Whether a request with tool blocks must define tools. Some other hosts of the models require this. */
  toolsRequired?: boolean;
}

/** Checks the order of roles, and that messages are not empty. */
export function checkRoles(
  request: ParsedRequest,
  limits: ModelLimits,
  legacy: LegacyRules,
  paused: PausedTurns | undefined,
): ApiError | undefined {
  const { messages } = request;
  return (
    firstError(messages, (message, index) => checkNotEmpty(message, index, messages.length - 1)) ??
    checkTexts(request) ??
    checkMedia(messages, limits) ??
    (legacy.alternatingRoles === true ? checkAlternation(messages) : undefined) ??
    firstError(messages, (message, index) =>
      message.role === "system" ? checkSystem(messages, index) : undefined,
    ) ??
    checkEnding(messages, limits, paused)
  );
}

function checkNotEmpty(message: WireMessage, index: number, last: number): ApiError | undefined {
  const exempt =
    (message.role === "assistant" && index === last) || (message.role === "system" && isDirective(message));
  return message.content.length > 0 || exempt
    ? undefined
    : invalid(
        `messages.${index}: all messages must have non-empty content except for the optional final assistant message`,
      );
}

/** Refuses blank text anywhere in a request. It is not verified that the API does so within tool results. */
function checkTexts({ system, messages }: ParsedRequest): ApiError | undefined {
  const check = (parts: unknown, where: string): ApiError | undefined =>
    typeof parts === "string" || Array.isArray(parts)
      ? firstError(asBlocks(parts), (block) => {
          if (block.type === "tool_result" && typeof block.content !== "string")
            return check(block.content, where);
          if (block.type !== "text") return undefined;
          if (block.text === "") return invalid(`${where}: text content blocks must be non-empty`);
          return String(block.text).trim() === ""
            ? invalid(`${where}: text content blocks must contain non-whitespace text`)
            : undefined;
        })
      : undefined;
  return (
    (system === "" ? undefined : check(system, "system")) ??
    firstError(messages, ({ content }) => (content === "" ? undefined : check(content, "messages")))
  );
}

function checkAlternation(messages: readonly WireMessage[]): ApiError | undefined {
  if (messages[0]?.role !== "user") return invalid('messages: first message must use the "user" role');
  return firstError(messages, ({ role }, index) =>
    index > 0 && messages[index - 1]?.role === role
      ? invalid(
          `messages: roles must alternate between "user" and "assistant", but found multiple "${role}" roles in a row`,
        )
      : undefined,
  );
}

function isDirective(message: WireMessage): boolean {
  return message.content.length === 0 && "output_config" in message;
}

const directiveForm = "the directive-only form (content: [] with output_config) is accepted at any position";

function checkSystem(messages: readonly WireMessage[], index: number): ApiError | undefined {
  const message = messages[index] as WireMessage;
  if (isDirective(message)) return undefined;
  const previous = messages[index - 1];
  const follows =
    previous?.role === "user" || (previous?.role === "assistant" && endsInServerResult(previous));
  if (!follows)
    return invalid(
      `messages.${index}: role 'system' must follow a 'user' message or an 'assistant' message ending in a server tool result; ${directiveForm}`,
    );
  const next = messages[index + 1];
  return next === undefined || next.role === "assistant"
    ? undefined
    : invalid(
        `messages.${index}: role 'system' must precede an 'assistant' message or end the array; ${directiveForm}`,
      );
}

/**
 * Checks a last message of the assistant. A paused answer is accepted if it is unchanged. Any other message
 * is a prefill, which only some models support. Without a record of paused answers, a message that ends in a
 * server tool's call counts as paused.
 */
function checkEnding(
  messages: readonly WireMessage[],
  limits: ModelLimits,
  paused: PausedTurns | undefined,
): ApiError | undefined {
  const last = messages.at(-1);
  if (last?.role !== "assistant") return undefined;
  if (paused === undefined ? endsInServerTool(last) : paused.has(lastBlocks(messages))) return undefined;
  if (!limits.prefill)
    return invalid(
      "This model does not support assistant message prefill. The conversation must end with a user message.",
    );
  const text = asBlocks(last.content).at(-1)?.text;
  return typeof text === "string" && /\s$/.test(text)
    ? invalid("messages: final assistant content cannot end with trailing whitespace")
    : undefined;
}

function endsInServerTool(message: WireMessage): boolean {
  return endsInServerResult(message) || asBlocks(message.content).at(-1)?.type === "server_tool_use";
}

function endsInServerResult(message: WireMessage): boolean {
  return asBlocks(message.content).at(-1)?.type.endsWith("_tool_result") === true;
}
