import { admitted } from "../context/admit.ts";
import { checkpointEvents } from "../context/checkpoint.ts";
import { isLeftOut } from "../context/refused-content.ts";
import type { RunStop, UserMessage } from "../hooks/turn-plan.ts";
import type { NewEvent, StoredEvent, StoredOf } from "../log/event.ts";
import type { StopReason } from "../log/stop-reason.ts";
import type { AnswerGate, Attempt } from "../loop/leg/attempt.ts";
import type { Leg } from "../loop/leg/leg.ts";
import { assistantMessage, llmResponse } from "../loop/turn/answer-events.ts";
import { type ContentBlock, isText, isThinking } from "../model/content.ts";
import { contentOf } from "../model/reply.ts";
import { openRun } from "../session/state.ts";

/** Returns the user's messages that no answer of the model follows yet, without those that were left out. */
export async function newMessages(leg: Leg): Promise<UserMessage[]> {
  const messages = await unanswered(leg);
  return messages.map(({ seq, data }) => ({ seq, text: data.message, files: data.files ?? [] }));
}

/** Hides these messages from later requests. The log then says why the run ends. */
export async function hideMessages(leg: Leg, stop: StopReason, hide: RunStop["hide"]): Promise<void> {
  const events = await hidingEvents(leg, stop, hide);
  if (events.length > 0) await leg.log.storeDecision(events);
}

/**
 * Stores what is left of an answer that a hook has refused: what readers have been shown, and what it has
 * cost. Resolves to the reason why the run ends.
 */
export async function storeRefused(
  leg: Leg,
  attempt: Attempt,
  { stop, hide }: NonNullable<AnswerGate["refused"]>,
): Promise<StopReason> {
  const hiding = await hidingEvents(leg, stop, hide);
  const content = contentOf(attempt.answer).filter(hasText);
  await leg.log.holdFacts([
    ...(content.length > 0 ? [assistantMessage(attempt, false, content)] : []),
    ...llmResponse(attempt, leg.life.clock.now()),
    ...hiding,
  ]);
  return stop;
}

/** Returns whether readers have seen something of a block. Calls that were not begun are left out. */
function hasText(block: ContentBlock): boolean {
  return (isText(block) && block.text !== "") || isThinking(block);
}

/** Returns the events of a checkpoint by which these messages are hidden; an empty list without messages. */
async function hidingEvents(leg: Leg, stop: StopReason, hide: RunStop["hide"]): Promise<NewEvent[]> {
  // A value of another type hides all: the hook meant to hide something.
  const isHidden = ({ seq }: StoredEvent) => (Array.isArray(hide) ? hide.includes(seq) : Boolean(hide));
  const messages = (await unanswered(leg)).filter(isHidden);
  const { state } = leg.log;
  const [first] = admitted(state, state.lastSeq);
  if (messages.length === 0 || first === undefined) return [];
  const events = messages.map(({ seq }) => ({ seq, keep: 0 }));
  const data = {
    ...{ from_seq: first.seq, upto_seq: state.lastSeq, reason: "drop_old_results" as const },
    ...{ only: "refused" as const, refused: { by: "hook" as const, events, stop } },
  };
  return checkpointEvents(state, leg.run.agent, data, leg.run.newId());
}

async function unanswered(leg: Leg): Promise<StoredOf<"user_message">[]> {
  const { state } = leg.log;
  const run = openRun(state);
  const entries = admitted(state, state.lastSeq);
  // The agent that has taken the conversation over has not answered the message either.
  const isTakenOver = run !== undefined && run.handOvers > 0 && run.turns === 0;
  const answeredAt = entries.findLastIndex(({ role }) => role === "assistant");
  const fresh = isTakenOver ? entries : entries.slice(answeredAt + 1);
  const seqs = new Set(fresh.flatMap((entry) => (isLeftOut(entry) ? [] : [entry.seq])));
  const messages: StoredOf<"user_message">[] = [];
  if (seqs.size === 0) return messages;
  const firstSeq = Math.min(...seqs);
  const afterSeq = isTakenOver ? await beforeHandOvers(leg) : firstSeq - 1;
  for await (const event of leg.run.read({ afterSeq, types: ["user_message"] }))
    if (event.type === "user_message" && seqs.has(event.seq)) messages.push(event);
  return messages;
}

/** Returns the `seq` of the last answer before the run that was the first to hand the conversation over. */
async function beforeHandOvers({ run }: Leg): Promise<number> {
  let answerSeq = 0;
  let before = 0;
  for await (const { type, data, seq } of run.read({ types: ["run_started", "assistant_message"] })) {
    if (type === "assistant_message") answerSeq = seq;
    else if (data.hand_overs === undefined) before = answerSeq;
  }
  return before;
}
