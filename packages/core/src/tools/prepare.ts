import { copiedNote } from "../context/resend.ts";
import { messageOf } from "../errors.ts";
import type { NewEvent } from "../events/event.ts";
import { type Json, toJson } from "../json.ts";
import type { Leg } from "../leg.ts";
import { outcomeUnknown, resultEvent } from "../session/close.ts";
import type { CallState } from "../session/state.ts";
import { formatted } from "./format-result.ts";
import { validate } from "./schema.ts";
import { toJsonSchema } from "./to-json-schema.ts";
import type { Tool } from "./tool.ts";

/** What is to be done about a call: store events at once, or run the tool. */
export type Prepared =
  | { do: "store"; events: NewEvent[] }
  | { do: "run"; call: CallState; tool: Tool; input: unknown; answer: unknown };

/** Looks a call over: whether it may run, has to wait for an answer, or is answered right away. */
export async function prepareCall(leg: Leg, call: CallState): Promise<Prepared> {
  const tool = leg.agent.tools.get(call.toolName) as Tool | undefined;
  if (tool === undefined) return refuse(call, `There is no tool named "${call.toolName}".`);
  if (call.started !== undefined && !tool.idempotent) {
    return refuse(call, outcomeUnknown("the process was cut off while it ran."));
  }
  if (call.invalid !== undefined) return refuse(call, call.invalid);
  const copied = copiedNote(call.arguments, tool.resend);
  if (copied !== undefined)
    return refuse(call, `"${copied}" holds only a note of its length. Send the whole text.`);
  const input = await validate(tool.input, call.arguments);
  if (!input.ok) return refuse(call, `The input does not fit: ${input.problems.join("; ")}`);
  if (tool.suspends === undefined) return { do: "run", call, tool, input: input.value, answer: undefined };
  if (call.answer === undefined) return { do: "store", events: [ask(call, tool, input.value)] };
  const answer = await validate(tool.suspends.answer, call.answer.value);
  if (!answer.ok) return refuse(call, `The answer does not fit: ${answer.problems.join("; ")}`);
  if (tool.execute !== undefined) return { do: "run", call, tool, input: input.value, answer: answer.value };
  return { do: "store", events: [succeed(call, tool, answer.value)] };
}

/** The result of a tool that did its work. */
export function succeed(
  call: CallState,
  tool: Tool,
  value: unknown,
  durationMs?: number,
  completed = false,
): NewEvent {
  const result = shownResult(value);
  const content = formatted(tool, result);
  const status = typeof tool.endsRun === "string" ? tool.endsRun : completed ? "completed" : undefined;
  return resultEvent(call, true, result, {
    ...(durationMs !== undefined && { durationMs }),
    data: {
      ...(content !== undefined && { content }),
      ...(tool.resend !== undefined && { resend: tool.resend }),
      ...(tool.endsRun !== false && { ends_run: true }),
      ...(status !== undefined && { session_status: status }),
      ...(tool.status.done !== undefined && { status: tool.status.done }),
    },
  });
}

function refuse(call: CallState, why: string): Prepared {
  return { do: "store", events: [resultEvent(call, false, why)] };
}

function ask(call: CallState, tool: Tool, input: unknown): NewEvent {
  const { answer, kind = tool.name, payload } = tool.suspends as NonNullable<Tool["suspends"]>;
  return {
    type: "tool_suspended",
    key: `asked:${call.assistantSeq}:${call.callId}`,
    data: {
      tool_name: call.toolName,
      call_id: call.callId,
      kind,
      payload: toJson(payload === undefined ? input : payload(input)),
      answer_schema: toJsonSchema(answer, `answers to "${tool.name}"`),
    },
  };
}

/** What a tool returned, as JSON. The tool did its work: a value that JSON cannot carry does not undo that. */
function shownResult(value: unknown): Json {
  try {
    return value instanceof Error ? { name: value.name, message: value.message } : toJson(value);
  } catch (cause) {
    return { done: true, note: `The tool ran; its result cannot be shown: ${messageOf(cause)}` };
  }
}
