import type { NewEvent } from "../../log/event.ts";
import { resultEvent } from "../../session/close-calls.ts";
import type { CallState } from "../../session/state.ts";
import type { Tool } from "../../tools/tool.ts";
import { screenCall } from "../hooks/tool-hooks.ts";
import type { Leg } from "../leg/leg.ts";
import type { CallFacts, CallStep } from "./decide-call.ts";

/** Events that settle a call or ask about it. */
interface Stored {
  do: "store";
  events: NewEvent[];
}

/**
 * Asks about a call again, because it is not what the user was asked about any more. If a hook has asked, the
 * hook gets the answer first, so that a no stays a no. Then the hooks and the tool decide as if nobody had
 * been asked. If none of them asks, the call does not run.
 */
export async function askAgain(
  leg: Leg,
  call: CallState,
  { input: _, ...facts }: CallFacts,
  { callInput, changes }: Extract<CallStep, { do: "ask_again" }>,
  prepare: (leg: Leg, call: CallState, facts: CallFacts) => Promise<Stored | { do: "run" }>,
): Promise<Stored> {
  const tool = facts.tool as Tool;
  let prepared: Stored | { do: "run" } | undefined;
  if (call.question?.by !== undefined) {
    const screened = await screenCall(leg, call, tool, callInput, 1);
    const input = { ok: true as const, value: callInput.input };
    if (screened.do !== "run") prepared = await prepare(leg, call, { ...facts, input, screened });
  }
  const unasked = { ...call, question: undefined, answer: undefined, about: undefined };
  prepared ??= await prepare(leg, unasked, facts);
  if (prepared.do === "run") {
    const { refusalText } = await leg.parts.load();
    const text = refusalText(leg, call, tool, { do: "refuse_changed", changes });
    return { do: "store", events: [resultEvent(call, false, text)] };
  }
  const events = prepared.events.map((event) =>
    event.type === "tool_suspended" ? { ...event, data: { ...event.data, changed: [...changes] } } : event,
  );
  return { do: "store", events };
}
