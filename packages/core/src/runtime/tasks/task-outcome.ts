import { centsFromUsd, subtractUsd } from "../../base/usd.ts";
import type { EventData } from "../../log/event-data.ts";
import type { StopType } from "../../log/stop-reason.ts";
import { type Spent, tokensOf } from "../../log/tokens.ts";
import type { MidwayQuestion } from "../../loop/leg/part-types.ts";
import type { SettledTask } from "../../loop/leg/task-types.ts";
import type { Usage } from "../../model/pricing.ts";
import type { Asking, QuestionRecord } from "../../session/asking.ts";
import {
  isOutcomeUnknown,
  outcomeUnknown,
  type QuestionEvent,
  questionEvent,
  type ResultEvent,
  resultEvent,
} from "../../session/close-calls.ts";
import { firstExpiry, questionsOf, waitingFor } from "../../session/queued.ts";
import { resultOf } from "../../session/run-result.ts";
import type { CallState, RunState, SessionState } from "../../session/state.ts";
import { MOST_FRAGMENTS } from "../../tools/call-report.ts";

/** Types of stop reasons after which the sub-agent's last text, or its output, is the result of its task. */
const DONE: readonly StopType[] = ["end_turn", "terminal_tool"];

/**
 * Returns the event for the caller's log once a task has settled: a question if the sub-agent asks one, or
 * else the result.
 */
export function taskOutcomeOf(
  call: CallState,
  state: SessionState,
  durationMs: number,
): ResultEvent | QuestionEvent {
  const run = state.run as RunState;
  const { question, spent } = settledTask(call, state);
  if (question !== undefined) return questionEvent(call, { ...question, spent });
  const { stop, text } = resultOf(state);
  const output = run.turn?.output;
  // A limit may have ended the run, with an output from its last turn.
  const success = output !== undefined || DONE.includes(stop.type);
  const lastText = run.texts.at(-1) ?? text;
  const quote = lastText === "" ? "" : ` Its last text: ${lastText}`;
  const notFinished = `The agent did not finish: ${stop.message}${quote}`;
  const unfinished = run.calls.some(({ result }) => isOutcomeUnknown(result?.data.result))
    ? `${outcomeUnknown("one of the agent's own calls was cut off.")} ${notFinished}`
    : notFinished;
  const report = { ...reportOf(run), ...(!success && { code: stop.type }) };
  const content = success ? (output?.value ?? (lastText || "Done.")) : unfinished;
  return resultEvent(call, success, content, {
    durationMs,
    data: { spent, ...(Object.keys(report).length > 0 && { report }) },
  });
}

/**
 * Returns a report that joins those of the sub-agent's calls: all fragments and sources, and the connector if
 * all calls with a connector have the same one.
 */
function reportOf({ calls }: RunState): EventData["tool_result"]["report"] {
  const reports = calls.flatMap(({ result }) => result?.data.report ?? []);
  const [connector, ...others] = new Set(reports.flatMap(({ connector }) => connector ?? []));
  const fragments = [...new Set(reports.flatMap(({ fragments }) => fragments ?? []))].slice(
    0,
    MOST_FRAGMENTS,
  );
  const byId = new Map(reports.flatMap(({ sources }) => sources ?? []).map((source) => [source.id, source]));
  const sources = [...byId.values()].slice(0, MOST_FRAGMENTS);
  return {
    ...(connector !== undefined && others.length === 0 && { connector }),
    ...(fragments.length > 0 && { fragments }),
    ...(sources.length > 0 && { sources }),
  };
}

/** Returns the sub-agent's usage and cost since the caller was last charged. */
export function spentSince({ charged }: CallState, { usage, costUsd }: RunState): Spent {
  const kinds = Object.keys(usage) as (keyof Usage)[];
  const fresh = { ...usage };
  for (const kind of kinds) fresh[kind] = (usage[kind] ?? 0) - (charged.usage[kind] ?? 0);
  return {
    tokens: tokensOf(fresh),
    cost_cents: centsFromUsd(subtractUsd(costUsd, charged.costUsd)),
  };
}

/**
 * Returns the question or wait of the sub-agent that its caller's call passes on: the first question to the
 * user, or else the wait that ends first. Questions come first, because a user must see them.
 */
function nextToWaitFor(run: RunState): Asking | undefined {
  const waiting = waitingFor(run);
  const first = firstExpiry(waiting);
  return questionsOf(run)[0] ?? waiting.find(({ question }) => question?.expires?.at === first);
}

/** Returns a task that has settled: its question if its agent waits, and its use since the last charge. */
export function settledTask(call: CallState, state: SessionState): Omit<SettledTask, "artifacts"> {
  const run = state.run as RunState;
  const waiting = run.ended === undefined ? nextToWaitFor(run) : undefined;
  const question = waiting && passedOn(state.sessionId, waiting);
  return { state, question, spent: spentSince(call, run) };
}

/** Returns the sub-agent's question or wait, as a question of its caller. */
function passedOn(sessionId: string, waiting: Asking): MidwayQuestion {
  const { kind, payload, answerSchema, seq, expires, lastsMs, hidden, clientTool, changed } =
    waiting.question as QuestionRecord;
  return {
    kind,
    payload,
    answer_schema: answerSchema,
    child: { session_id: sessionId, call_id: waiting.callId, question: seq },
    ...(expires !== undefined && { expires: { ...expires, ...(lastsMs && { after_ms: lastsMs }) } }),
    ...(hidden && { hidden }),
    ...(clientTool !== undefined && { client_tool: clientTool }),
    ...(changed && { changed: [...changed] }),
  };
}
