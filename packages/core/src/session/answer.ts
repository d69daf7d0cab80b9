import type { Agent } from "../agent.ts";
import { messageOf, PawlError } from "../errors.ts";
import type { NewEvent } from "../events/event.ts";
import { type Json, toJson } from "../json.ts";
import type { Answer } from "../runtime-types.ts";
import { jsonSchema, validate } from "../tools/schema.ts";
import { eventKey } from "./keys.ts";
import { type CallState, openRun, type SessionState } from "./state.ts";

/**
 * The events that store a user's answers, checked against the questions on record. Nothing is believed of the client
 * but the values, and those only as far as the tool's schema goes.
 *
 * @throws PawlError `unknown_call`, `already_answered` or `invalid_answer`; then none of the answers counts.
 */
export async function answerEvents(
  state: SessionState,
  agent: Agent,
  answers: readonly Answer[],
): Promise<NewEvent[]> {
  const seen = new Set<string>();
  const events: NewEvent[] = [];
  for (const { callId, value, question } of answers) {
    if (seen.has(callId)) {
      throw new PawlError("invalid_input", "One request answers the same question twice.", {
        details: { callId },
      });
    }
    seen.add(callId);
    const call = findQuestion(state, callId, question);
    const stored = storable(value, callId);
    await checkAnswer(agent, call, stored);
    events.push({
      type: "tool_answered",
      key: eventKey.answer(call),
      data: { tool_name: call.toolName, call_id: callId, value: stored },
    });
  }
  return events;
}

function storable(value: unknown, callId: string): Json {
  try {
    return toJson(value);
  } catch (cause) {
    const message = `The answer cannot be stored: ${messageOf(cause)}`;
    throw new PawlError("invalid_answer", message, { cause, details: { callId } });
  }
}

function findQuestion(state: SessionState, callId: string, question: number | undefined): CallState {
  const call = state.calls.get(callId);
  if (call?.asked === undefined || (question ?? 0) > call.asked.seq) {
    throw new PawlError("unknown_call", "There is no such question in this session.", {
      details: { callId },
    });
  }
  const over = call.answer !== undefined || call.result !== undefined || openRun(state) === undefined;
  if (over || (question ?? call.asked.seq) < call.asked.seq) {
    throw new PawlError("already_answered", "This question has been answered already.", {
      details: { callId },
    });
  }
  return call;
}

async function checkAnswer(agent: Agent, call: CallState, value: unknown): Promise<void> {
  // A question outlives the tool that asked it: then, and for a hook's question, the schema on record decides.
  const own = call.asked?.by === undefined ? agent.tools.get(call.toolName)?.suspends?.answer : undefined;
  const schema = own ?? jsonSchema(call.asked?.answerSchema ?? {});
  const checked = await validate(schema, value);
  if (!checked.ok) {
    throw new PawlError(
      "invalid_answer",
      `The answer does not fit the question: ${checked.problems.join("; ")}`,
      {
        details: { callId: call.callId, problems: checked.problems },
      },
    );
  }
}
