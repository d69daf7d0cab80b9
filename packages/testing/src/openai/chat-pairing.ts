import type { ApiError } from "../base/api-error.ts";
import { refused } from "./chat-error.ts";
import type { ChatMessage } from "./chat-request.ts";

/** Checks that each call has exactly one result, directly after the message with the call. */
export function checkPairing(messages: readonly ChatMessage[]): ApiError | undefined {
  let open: Set<string> | undefined;
  for (const [at, { role, tool_calls, tool_call_id = "" }] of messages.entries()) {
    if (role === "tool") {
      const error = open === undefined ? withoutCall(at) : answered(open, tool_call_id, at);
      if (error !== undefined) return error;
      continue;
    }
    if (open !== undefined && open.size > 0) return unanswered(open, at);
    const ids = tool_calls?.map(({ id }) => id);
    const twice = ids?.find((id, index) => ids.indexOf(id) !== index);
    if (twice !== undefined)
      // The wording of this error is a guess.
      return refused(
        `Duplicate value for 'tool_call_id' of '${twice}' in message[${at}].`,
        place(at, "tool_calls"),
      );
    open = ids && new Set(ids);
  }
  return open !== undefined && open.size > 0 ? unanswered(open, messages.length) : undefined;
}

function withoutCall(at: number): ApiError {
  return refused(
    "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
    place(at, "role"),
  );
}

function answered(open: Set<string>, id: string, at: number): ApiError | undefined {
  return open.delete(id)
    ? undefined
    : refused(
        `Invalid parameter: 'tool_call_id' of '${id}' not found in 'tool_calls' of previous message.`,
        place(at, "tool_call_id"),
      );
}

function unanswered(open: ReadonlySet<string>, at: number): ApiError {
  return refused(
    `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${[...open].join(", ")}`,
    place(at, "role"),
  );
}

/** Returns a field's path as OpenAI writes it in these errors: with a dot before the bracket. */
function place(at: number, field: string): string {
  return `messages.[${at}].${field}`;
}
