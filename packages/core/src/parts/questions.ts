import { PawlError } from "../base/errors.ts";
import type { Json } from "../base/json.ts";
import { storableJson } from "../base/json-loss.ts";
import type { Hook } from "../hooks/hook.ts";
import type { Ask } from "../hooks/tool-change.ts";
import type { ErrorReport } from "../log/error-event.ts";
import type { QuestionPlace } from "../log/event-parts.ts";
import type { Leg } from "../loop/leg/leg.ts";
import type { CheckedAsk, MidwayQuestion } from "../loop/leg/part-types.ts";
import { listedProblems } from "../schema/problems.ts";
import type { Validated } from "../schema/schema.ts";
import { toJsonSchema } from "../schema/to-json-schema.ts";
import type { Asking, RunQuestion } from "../session/asking.ts";
import { CREDENTIALS, RETRY } from "../session/asking.ts";
import { type QuestionEvent, questionEvent } from "../session/close-calls.ts";
import type { RunState } from "../session/state.ts";
import { storedExpiry } from "../tools/expiry.ts";
import { problemsByLog } from "../tools/problems-by-log.ts";

/** Returns the event with which a hook asks the user about the run, before its first turn or the next one. */
export function runQuestion(
  { runId, seq, asked }: RunState,
  by: string,
  before: QuestionPlace,
  ask: Ask,
): QuestionEvent {
  const checked = checkedAsk(ask);
  const asking = {
    callId: questionId(runId, asked),
    toolName: by,
    assistantSeq: seq,
    questions: 0,
  };
  return questionEvent(asking, {
    ...checked,
    by,
    before,
  });
}

/** Returns the event with which a hook passes on the question of an agent to which it has given a task. */
export function passedOnQuestion(
  { runId, seq, asked }: RunState,
  by: string,
  before: QuestionPlace,
  question: MidwayQuestion,
): QuestionEvent {
  const asking = { callId: questionId(runId, asked), toolName: by, assistantSeq: seq, questions: 0 };
  return questionEvent(asking, { ...question, by, before });
}

/** Returns the event that asks for the caller's credentials. A client answers `true`, with credentials. */
export function credentialsQuestion({ runId, seq, asked }: RunState): QuestionEvent {
  const asking = {
    callId: questionId(runId, asked),
    toolName: CREDENTIALS,
    assistantSeq: seq,
    questions: 0,
  };
  return questionEvent(asking, {
    kind: CREDENTIALS,
    payload: {},
    answer_schema: { const: true },
    before: "resume",
  });
}

/**
 * The most waits outside of a process in one turn. Without this limit, a run whose model client does not
 * count its `failedAttempts` would never end, because such waits count towards no limit.
 */
const MOST_WAITS = 10;

/**
 * Returns the event with which the run leaves this process and waits, before the model is asked again.
 * Returns `undefined` if the run has waited {@link MOST_WAITS} times since its last turn: the process then
 * waits.
 */
export function retryWait(
  { runId, seq, asked, turns }: RunState,
  afterMs: number,
  failedAttempts: number,
): QuestionEvent | undefined {
  const waits = asked.filter((one) => one.question.kind === RETRY && one.turns === turns);
  if (waits.length >= MOST_WAITS) return undefined;
  const asking = { callId: questionId(runId, asked), toolName: RETRY, assistantSeq: seq, questions: 0 };
  return questionEvent(asking, {
    kind: RETRY,
    payload: { failed_attempts: failedAttempts },
    answer_schema: { type: "null" },
    hidden: true,
    before: "turn",
    expires: { after_ms: Math.ceil(afterMs), default: null },
  });
}

function questionId(runId: string, asked: readonly RunQuestion[]): string {
  return `ask_${asked.length + 1}_${runId}`;
}

/** Checks a hook's question, and returns it as it is stored. @throws Error for an invalid question */
export function checkedAsk(ask: Ask): CheckedAsk {
  const { kind, payload, answer, expires } = ask ?? {};
  if (typeof kind !== "string" || payload === undefined || answer === undefined) {
    const missing = [
      typeof kind !== "string" && "kind",
      payload === undefined && "payload",
      answer === undefined && "answer",
    ];
    const names = missing.filter((name) => name !== false).map((name) => `\`${name}\``);
    throw new Error(
      `\`ask\` needs a \`kind\` (a string), a \`payload\` (JSON for the client, e.g. {}), and in \`answer\` the schema of answers; got no ${names.join(", ")}.`,
    );
  }
  const answer_schema = toJsonSchema(answer, `answers to "${kind}"`);
  const expiry = expires !== undefined && { expires: storedExpiry("`ask`", expires, answer) };
  return { kind, payload: storableJson(payload, "ask.payload"), answer_schema, ...expiry };
}

/** Validates the answer to a question by the schema that is stored with it. Returns the problems. */
export async function answerProblems({ question, answer }: Asking): Promise<readonly string[]> {
  return await problemsByLog(question?.answerSchema, answer?.value ?? null);
}

/**
 * Validates the answer to a question that a tool asked while it ran. The validated value is `undefined`,
 * because the tool reads the answer as `context.answered`.
 */
export async function validateMidwayAnswer(call: Asking): Promise<Validated<undefined>> {
  const problems = await answerProblems(call);
  return problems.length === 0 ? { ok: true, value: undefined } : { ok: false, problems: [...problems] };
}

/**
 * Returns the answer to the question that a hook asked before this turn. Returns `undefined` if there is no
 * answer, or if it is invalid, so that the hook asks again: the database may have stored it unchecked.
 *
 * @throws PawlError `config` if the question's default is invalid.
 */
export async function hookAnswer(
  run: RunState,
  { name }: Hook,
  before: QuestionPlace,
): Promise<Json | undefined> {
  const asked = answeredNow(run).findLast(
    ({ question, before: place }) => question.by === name && place === before && question.child === undefined,
  );
  if (asked === undefined) return undefined;
  const problems = await answerProblems(asked);
  if (problems.length === 0) return asked.answer?.value;
  if (!asked.answer?.expired) return undefined;
  // If the hook asked again, it would get the same invalid default, without end.
  throw new PawlError(
    "config",
    `The default of the question "${asked.question.kind}" of the hook "${name}" does not match its schema: ${listedProblems(problems)}`,
  );
}

/**
 * Returns the error for a question that was answered before this turn, if the agent no longer has its hook.
 */
function lostAsker(run: RunState, hooks: readonly Hook[]): ErrorReport | undefined {
  const names = new Set(hooks.map(({ name }) => name));
  const isLost = ({ by }: RunQuestion["question"]) => by !== undefined && !names.has(by);
  const hook = answeredNow(run).find(({ question }) => isLost(question))?.question.by;
  if (hook === undefined) return undefined;
  const message = `The hook "${hook}", which asked the user, no longer exists. The run ends, because nothing can act on the answer.`;
  return { code: "hook_failed", message, context: { hook, method: "beforeRun" } };
}

/** Returns the questions of hooks that were asked and answered since the last turn. */
function answeredNow({ asked, turns }: RunState): RunQuestion[] {
  return asked.filter(
    (one) =>
      one.before !== "resume" &&
      one.turns === turns &&
      one.answer !== undefined &&
      one.answer.closed === undefined,
  );
}

/**
 * Returns whether a run's question was answered after its hook had been removed, and logs the error. The run
 * then ends: nothing can act on the answer, and the user may have refused.
 */
export async function hasLostAsker(leg: Leg, run: RunState): Promise<boolean> {
  const lost = lostAsker(run, leg.run.agent.hooks);
  if (lost === undefined) return false;
  await leg.report.logError(lost);
  leg.report.failed(new Error(lost.message));
  return true;
}
