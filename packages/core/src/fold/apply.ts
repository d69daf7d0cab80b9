import { addUsd, usdFromCents } from "../base/usd.ts";
import { applyRedaction } from "../context/apply-redaction.ts";
import { applyCheckpoint } from "../context/checkpoint.ts";
import { recordTags } from "../context/own-tags.ts";
import { applyPrefix, USER_DATA } from "../context/prefix.ts";
import { endServerCalls } from "../context/server-calls.ts";
import { userDataBlock } from "../context/user-data.ts";
import { addSpent } from "../log/budget.ts";
import type { StoredEvent, StoredOf } from "../log/event.ts";
import { usageOf } from "../log/tokens.ts";
import { addUsage } from "../model/pricing.ts";
import { gaveWay } from "../session/given-up.ts";
import { handOverTarget } from "../session/queued.ts";
import { openRun, type RunState, type SessionState } from "../session/state.ts";
import { countWork } from "../session/work-time.ts";
import { spentOf } from "../stop/limits.ts";
import { addCall, applyCallEvent, expireBy } from "./apply-call.ts";
import {
  applyContinue,
  applyModelEvent,
  applyOutput,
  applyReminder,
  chargeLostAttempt,
} from "./apply-model.ts";
import { addTask, chargeTask } from "./apply-task.ts";
import { newRun } from "./new-run.ts";

/**
 * Applies one event to the state, in place. The result depends only on the state and the event, so every
 * process computes the same state from the same log.
 */
export function applyEvent(state: SessionState, event: StoredEvent): void {
  state.lastSeq = event.seq;
  state.lastAt = event.at;
  recordTags(state, event);
  const run = openRun(state);
  switch (event.type) {
    case "knowledge":
      if (event.data.source === USER_DATA) state.userData = userDataBlock(event.data.data).text;
      state.unsent.push(event);
      break;
    case "user_message":
      if (event.data.queued) state.queued.push(event);
      else if (run !== undefined) run.params = event.data.params ?? {};
      state.unsent.push(event);
      break;
    case "artifact":
      state.unsent.push(event);
      break;
    case "note":
      if (run !== undefined && event.data.landing !== undefined) {
        run.landing = { stop: event.data.landing, turns: run.turns };
      }
      if (run !== undefined && event.data.reminder) applyReminder(run);
      if (run !== undefined && event.data.continues) applyContinue(run);
      state.unsent.push(event);
      break;
    case "output":
      applyOutput(state, run, event);
      break;
    case "prefix":
      applyPrefix(state, event.data);
      break;
    case "checkpoint":
      applyCheckpoint(state, event);
      break;
    case "redaction":
      applyRedaction(state, event);
      break;
    case "run_started":
      // If the run has its own message, it follows in the same append, and its `params` replace these.
      // The agent to which a run has handed over may be gone. Then the session's own agent starts the run.
      applySpeaker(state, event.data.agent);
      replaceRun(state, newRun(event, inheritedParams(state, event)));
      break;
    default:
      if (run !== undefined) applyToRun(state, run, event);
  }
}

/**
 * Returns the `params` of a run without its own message: those of the run that it retries, or of the last
 * queued message that it answers.
 */
function inheritedParams({ run, queued }: SessionState, { data }: StoredOf<"run_started">) {
  return data.retry_of === undefined ? queued.at(-1)?.data.params : run?.params;
}

/**
 * Replaces the last run by a new one. Keeps the ids of earlier calls and questions, to refuse a repeated call
 * id or a late answer.
 */
function replaceRun(state: SessionState, run: RunState): void {
  for (const { callId, question } of [...state.calls.values(), ...state.asked.values()])
    if (question !== undefined && !question.hidden) state.earlierQuestions.set(callId, question.seq);
  for (const callId of state.calls.keys()) state.earlierCalls += `${callId}\n`;
  state.calls = new Map();
  state.asked = new Map();
  state.run = run;
}

/** Applies an event that concerns only the open run. */
function applyToRun(state: SessionState, run: RunState, event: StoredEvent): void {
  countWork(run.work, event);
  switch (event.type) {
    case "llm_request":
    case "llm_response":
    case "assistant_message":
    case "error":
      applyModelEvent(state, run, event);
      break;
    case "spending":
      run.usage = addUsage(run.usage, usageOf(event.data.tokens));
      run.costUsd = addUsd(run.costUsd, usdFromCents(event.data.cost_cents));
      if (event.data.attempt !== undefined && event.data.attempt === run.attempt?.seq)
        run.attempt = undefined;
      if (event.data.task !== undefined) chargeTask(run, event.data);
      break;
    case "task_started":
      addTask(run, event);
      break;
    case "tool_call":
      addCall(state, run, event.data);
      break;
    case "tool_started":
    case "tool_suspended":
    case "tool_answered":
    case "tool_result":
      applyCallEvent(state, run, event);
      break;
    case "stop_requested":
      if (event.data.run_id === run.runId) applyStopRequest(run, event);
      break;
    case "run_suspended":
      run.unsettled = false;
      if (event.data.clock !== undefined) expireBy(run, event.data.clock);
      break;
    case "run_left":
      run.gaveWay = gaveWay(run, event.data.reason);
      break;
    case "run_recovered":
      run.unsettled = true;
      if (!run.gaveWay) run.recoveries += 1;
      run.gaveWay = false;
      break;
    case "agent_changed":
      run.agentChange = { version: event.data.to, tools: event.data.tools };
      break;
    case "effect_started":
      run.ending ??= event.data.stop;
      run.effects.set(event.data.name, "begun");
      break;
    case "effect_ended":
      run.effects.set(event.data.name, "over");
      break;
    case "run_ended":
      applyRunEnd(state, run, event);
      break;
  }
}

/** Applies the end of the run. From then on, the agent speaks to which it has handed over. */
function applyRunEnd(state: SessionState, run: RunState, event: StoredOf<"run_ended">): void {
  chargeLostAttempt(run);
  run.unsettled = false;
  run.ended = event.data.stop;
  run.failed = event.data.session_status === "error";
  applySpeaker(state, handOverTarget(run), true);
  endServerCalls(state);
  state.spent = addSpent(state.spent, spentOf(run, 0));
}

/** Applies a change of the agent that has the conversation. The first change is a hand-over. */
function applySpeaker(state: SessionState, name: string | undefined, isHandOver = false): void {
  const isNew = name !== undefined && name !== state.handedTo?.name;
  if (isNew && (isHandOver || state.handedTo !== null)) state.handedTo = { name, seq: state.lastSeq };
}

/** Applies a request to stop. With `interrupt`, the user sent another message. */
function applyStopRequest(run: RunState, { seq, data }: StoredOf<"stop_requested">): void {
  if (data.interrupt === true) {
    run.interrupted = true;
    return;
  }
  run.stopRequested = true;
  run.stopSeq ??= seq;
}
