import type { Json } from "../base/json.ts";
import { usdFromCents } from "../base/usd.ts";
import { applyEvent } from "../fold/apply.ts";
import type { StoredEvent, StoredOf } from "../log/event.ts";
import type { StopReason } from "../log/stop-reason.ts";
import { newSessionState } from "../session/new-state.ts";
import { applyToCalls, endLast, type TimelineCall } from "./calls.ts";
import { type Difference, firstDifference } from "./difference.ts";
import { requestsOf } from "./requests.ts";
import { noSpending, type OtherSpending, type Span, type Spending, sumOf } from "./spending.ts";

/** One request to the model and its outcome. */
export interface TimelineAttempt extends Span, Spending {
  /** `seq` of the attempt's `llm_request` event. */
  seq: number;
  /** Id of the model that was asked. */
  model: string;
  /**
   * The outcome: `answered`, or `failed` if the request was refused or its answer was lost. `undefined` while
   * the answer streams.
   */
  outcome?: "answered" | "failed";
  /** The stop reason that the model reported, e.g. `end_turn`. */
  stopReason?: string | null;
  /**
   * The first difference from the previous request. Absent for the first request, and if the requests are
   * equal.
   */
  difference?: Difference;
}

/** A turn: the attempts at one answer, and the calls that the answer made. */
export interface TimelineTurn extends Span {
  /** The number of the turn in its run, from 1. */
  turn: number;
  /** The requests to the model, in order. More than one if a request was retried. */
  attempts: TimelineAttempt[];
  /** The tool calls of the turn, in order. */
  calls: TimelineCall[];
}

/** An event that a hook or a tool has stored: one of your own, whose type has a dot. */
export interface TimelineEvent {
  /** The event's number within the session. */
  seq: number;
  /** When the event was stored, in milliseconds since 1970. */
  at: number;
  /** The event's type, e.g. `search.asked`. */
  type: string;
  /** The event's data. */
  data: Json;
}

/** A run: its turns, its begin and end, and the times when it waited for the user. */
export interface TimelineRun extends Span {
  /** Id of the run. */
  runId: string;
  /** `seq` of the run's `run_started` event. */
  seq: number;
  /** The agent's name. */
  agent: string;
  /** The turns of the run, in order. */
  turns: TimelineTurn[];
  /** The spans of time in which the run waited for the user's answer. */
  waits: Span[];
  /** The working time of all processes, in milliseconds. Waiting for the user does not count. */
  workMs: number;
  /** The sum of `others`: the tokens and cost of all other model calls. */
  summaries: Spending;
  /**
   * Other model calls, in the order in which they were charged: summaries of the context, and models that
   * hooks and tools ask.
   */
  others: OtherSpending[];
  /** Events of your own, e.g. `search.asked`, in order. */
  events: TimelineEvent[];
  /** Why the run ended. Absent until it has ended. */
  stop?: StopReason;
}

/**
 * Converts a session's log to a timeline: runs, turns, the usage and cost of each attempt, tool calls, and
 * the times of waiting for the user. `events` must be the whole log of the session. A public log gives the
 * same timeline, without private content.
 *
 * @example
 * ```ts
 * import { agent, memoryStore, runtime } from "@pawl/core";
 * import { timelineOf } from "@pawl/core/inspect";
 * import { scriptedModel } from "@pawl/testing";
 *
 * const greeter = agent({
 *   name: "greeter",
 *   model: scriptedModel([{ text: "Hello." }]),
 *   instructions: "Be kind.",
 * });
 * const store = memoryStore();
 * const { sessionId } = await runtime({ agents: [greeter], store }).run("greeter", {
 *   userId: "u",
 *   input: "Hi",
 * }).result;
 *
 * const [run] = timelineOf(await Array.fromAsync(store.read(sessionId)));
 * console.log(run?.stop?.type, run?.turns.length, run?.turns[0]?.attempts[0]?.tokens.total);
 * ```
 */
export function timelineOf(events: readonly StoredEvent[]): TimelineRun[] {
  const differences = differencesIn(events);
  const state = newSessionState("");
  const runs: TimelineRun[] = [];
  for (const event of events) {
    applyEvent(state, event);
    if (event.type === "run_started") runs.push(newRunSpan(event));
    const run = runs.at(-1);
    if (run === undefined || run.to !== undefined) continue;
    // Any event ends the wait: an answer, another message, or the end of the run.
    endLast(run.waits, Date.parse(event.at));
    takeEvents(run, event);
    if (event.type === "llm_request") addAttempt(run, event, differences.get(event.seq));
    run.workMs = state.run?.work.ms ?? 0;
  }
  return runs;
}

/** Returns how each request differs from the one before, by the `seq` of its `llm_request`. */
function differencesIn(events: readonly StoredEvent[]): Map<number, Difference> {
  const requests = requestsOf(events);
  const found = new Map<number, Difference>();
  for (const [index, request] of requests.entries()) {
    const before = requests[index - 1];
    const difference = before && firstDifference(before, request);
    if (difference !== undefined) found.set(request.seq, difference);
  }
  return found;
}

function newRunSpan({ at, seq, data }: StoredOf<"run_started">): TimelineRun {
  const { run_id: runId, agent } = data;
  const from = Date.parse(at);
  const lists = { turns: [], waits: [], others: [], events: [] };
  return { runId, seq, agent, from, workMs: 0, summaries: noSpending, ...lists };
}

/** Applies an event to a run. The event `llm_request` is applied by {@link addAttempt}. */
function takeEvents(run: TimelineRun, event: StoredEvent): void {
  const at = Date.parse(event.at);
  const turn = run.turns.at(-1);
  switch (event.type) {
    case "llm_response":
    case "spending":
      chargeAttempt(run, event);
      break;
    case "assistant_message":
      endAttempt(turn, at, { outcome: "answered", stopReason: event.data.stop_reason });
      break;
    case "run_recovered":
      endAttempt(turn, at, { outcome: "failed" });
      break;
    case "error":
      if (event.data.code === "model_error") endAttempt(turn, at, { outcome: "failed" });
      break;
    case "run_suspended":
      run.waits.push({ from: at });
      break;
    case "run_ended":
      endAttempt(turn, at, { outcome: "failed" });
      run.to = at;
      run.stop = event.data.stop;
      break;
    default:
      if (event.type.includes(".")) run.events.push(ownEvent(event));
      if (turn === undefined || !event.type.startsWith("tool_")) return;
      applyToCalls(turn.calls, event);
      turn.to = at;
  }
}

/** Adds an attempt to the run's last turn, or to a new turn. */
function addAttempt(
  { turns }: TimelineRun,
  { seq, at, data }: StoredOf<"llm_request">,
  difference: Difference | undefined,
): void {
  const from = Date.parse(at);
  let turn = turns.at(-1);
  if (turn?.turn !== data.turn) {
    turn = { turn: data.turn, from, attempts: [], calls: [] };
    turns.push(turn);
  }
  const { model } = data;
  turn.attempts.push({ seq, model, from, ...noSpending, ...(difference && { difference }) });
}

/**
 * Adds usage and cost to the attempt that caused them, which may already have ended. Usage of other model
 * calls goes to `others` and `summaries`.
 */
function chargeAttempt(run: TimelineRun, event: StoredOf<"llm_response"> | StoredOf<"spending">): void {
  const { data } = event;
  const spent = { tokens: data.tokens, costUsd: usdFromCents(data.cost_cents) };
  const attempt = run.turns.flatMap(({ attempts }) => attempts).findLast(({ seq }) => seq === data.attempt);
  if (attempt !== undefined) {
    Object.assign(attempt, sumOf([attempt, spent]));
    return;
  }
  const { seq, type, durationMs = 0 } = event;
  const to = Date.parse(event.at);
  const whose =
    type === "spending"
      ? { by: event.data.by, model: event.data.model }
      : { by: "summary", model: event.data.raw_response.model ?? "" };
  run.others.push({ seq, from: to - durationMs, to, ...whose, ...spent });
  run.summaries = sumOf([run.summaries, spent]);
}

/** Returns an application's own event as the timeline shows it. */
function ownEvent({ seq, at, type, data }: StoredEvent): TimelineEvent {
  return { seq, at: Date.parse(at), type, data: data as Json };
}

/** Ends the turn's last attempt, if it has no end yet. */
function endAttempt(
  turn: TimelineTurn | undefined,
  to: number,
  outcome: Pick<TimelineAttempt, "outcome" | "stopReason">,
): void {
  const attempt = turn?.attempts.at(-1);
  if (turn === undefined || attempt === undefined || attempt.to !== undefined) return;
  Object.assign(attempt, { to, ...outcome });
  turn.to = to;
}
