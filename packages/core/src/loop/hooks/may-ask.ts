import type { Hook } from "../../hooks/hook.ts";
import type { QuestionPlace } from "../../log/event-parts.ts";
import type { QuestionEvent } from "../../session/close-calls.ts";
import { openRun } from "../../session/state.ts";
import type { Leg } from "../leg/leg.ts";
import { type Called, RETURNED_NOTHING } from "./call-hooks.ts";

/** A question to ask before the next turn. */
export interface Asked {
  question: QuestionEvent;
  plan?: never;
  stop?: never;
}

/**
 * Calls a hook that may pass on the question of an agent to which it has given a task. If it does, the
 * question is its outcome.
 */
// Not async, as `callHook`: most hooks return nothing synchronously.
export function mayAsk<P>(
  leg: Leg,
  { name }: Hook,
  before: QuestionPlace,
  call: () => Called<P | Asked> | Promise<Called<P | Asked>>,
): Called<P | Asked> | Promise<Called<P | Asked>> {
  const { hooks } = leg.once;
  const asking: NonNullable<typeof hooks.asking> = {};
  hooks.asking = asking;
  const outcomeOf = async (outcome: Called<P | Asked>) => {
    hooks.asking = undefined;
    const run = openRun(leg.log.state);
    if (asking.question === undefined || run === undefined) return outcome;
    const { passedOnQuestion } = await leg.parts.load();
    return { value: { question: passedOnQuestion(run, name, before, asking.question) } };
  };
  const called = call();
  if (called !== RETURNED_NOTHING) return Promise.resolve(called).then(outcomeOf);
  hooks.asking = undefined;
  return called;
}
