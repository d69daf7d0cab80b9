import type { ServerContext } from "@modelcontextprotocol/server";
import {
  isFailed,
  type JsonObject,
  PawlError,
  type Question,
  type RunOptions,
  type RunResult,
  type Runtime,
} from "@pawl/core";
import { outputPartOf } from "@pawl/core/view";
import { objectIn, own } from "../base/json.ts";
import { answerTo, type Form, formOf } from "./form.ts";
import type { EndOf, RunTask } from "./task-of-run.ts";

/** An agent that is served, and how. */
export interface ServedAgent {
  runtime: Runtime;
  agent: string;
  toolName: string;
  description: string;
  /** How long a client that takes tasks waits for a result, in milliseconds. */
  taskAfterMs: number;
  /** The maximum length of a message, in UTF-16 code units. */
  maxInputLength: number;
}

/** What a call is answered with: a result, a question to the user, or the run as a task. */
export type CallAnswer = { result: CallResult } | { question: Asking } | { task: RunTask };

/** A question, and what is needed to continue with its answer. */
interface Asking {
  key: string;
  form: Form;
  state: JsonObject;
}

type CallResult = JsonObject & { content: { type: "text"; text: string }[] };

/** The key of a question in a request. There is one question at a time. */
const KEY = "answer";

type Asker = Pick<RunOptions, "userId" | "caller" | "credentials">;

/** Returns for whom a request is made. */
export function askerOf({ http }: ServerContext): Asker {
  const { clientId: userId = "", extra } = http?.authInfo ?? {};
  return { userId, ...extra } as Asker;
}

/**
 * Begins a run for a call, or answers the question that its state names. A run that takes longer than
 * `taskAfterMs` is returned as a task if `asTask`.
 */
export async function answerCall(
  served: ServedAgent,
  { message, session }: { message: string; session?: string },
  ctx: ServerContext,
  asTask: boolean,
): Promise<CallAnswer> {
  const { mcpReq } = ctx;
  if (message.length > served.maxInputLength)
    return failed(`The message may have at most ${served.maxInputLength} characters.`);
  const asker = askerOf(ctx);
  const waitMs = asTask ? served.taskAfterMs : undefined;
  const state = mcpReq.requestState<JsonObject>();
  try {
    if (state === undefined) {
      const id = idOf(mcpReq._meta as JsonObject | undefined);
      const options: RunOptions = {
        ...asker,
        input: message,
        ...(session !== undefined && { sessionId: session }),
        ...(id !== undefined && { clientMessageId: id }),
      };
      return await ran(served, options, waitMs);
    }
    const given = objectIn((mcpReq.inputResponses as JsonObject | undefined)?.[KEY]);
    return await continueRun(served, asker, state, given, waitMs);
  } catch (error) {
    if (!PawlError.is(error)) throw error;
    return failed(error.code === "not_found" ? "There is no such session." : error.message);
  }
}

/** Runs the agent. Returns the run as a task if it takes longer than `waitMs`. */
async function ran(
  { runtime, agent }: ServedAgent,
  options: RunOptions,
  waitMs: number | undefined,
): Promise<CallAnswer> {
  const run = runtime.run(agent, options);
  if (waitMs === undefined) return answerOf(await run.result);
  const { promise: waited, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => resolve(undefined), waitMs);
  try {
    const result = await Promise.race([run.result, waited]);
    if (result !== undefined) return answerOf(result);
    // The task exists once the message is stored.
    const { sessionId, runId, messageSeq } = await run.started;
    run.result.catch(() => undefined);
    return { task: { session: sessionId, run: runId, messageSeq } };
  } finally {
    clearTimeout(timer);
  }
}

/** Ends a run whose question the client cannot show to anybody. */
export async function endUnseen(
  { runtime }: ServedAgent,
  { form, state }: Asking,
  ctx: ServerContext,
): Promise<CallResult> {
  const session = String(state.session);
  await runtime.stop(session, { userId: askerOf(ctx).userId });
  const text = `The agent has asked: "${form.message}" This client cannot show questions, so the run was stopped. A new call with this \`session\` can say more.`;
  return { ...failed(text).result, structuredContent: { text, session } };
}

/** The client's own id of the call, if it gives one: the same call sent again is then the same run. */
function idOf(meta: JsonObject = {}): string | undefined {
  const id = own(meta, "pawl/idempotencyKey") ?? own(meta, "pawl/callId");
  return typeof id === "string" ? id : undefined;
}

async function continueRun(
  served: ServedAgent,
  asker: Asker,
  state: JsonObject,
  response: JsonObject,
  waitMs: number | undefined,
): Promise<CallAnswer> {
  const { runtime } = served;
  const sessionId = String(state.session);
  const { pending } = await runtime.view(sessionId, { userId: asker.userId });
  const question = pending.find(({ callId, seq }) => callId === state.call && seq === state.question);
  // The answer was sent before. What came of it counts.
  if (question === undefined) return await outcomeOf(runtime, asker, sessionId);
  const { callId, seq } = question;
  try {
    const answers = [{ callId, question: seq, ...answerTo(question, response) }];
    return await ran(served, { ...asker, sessionId, answers }, waitMs);
  } catch (error) {
    if (PawlError.is(error, "already_answered")) return await outcomeOf(runtime, asker, sessionId);
    // The question stays open, and the user may correct the answer.
    if (error instanceof SyntaxError || PawlError.is(error, "invalid_answer"))
      return asking(sessionId, question);
    throw error;
  }
}

/** Waits until the session's run has ended or asks again, and returns what it has come to. */
async function outcomeOf(runtime: Runtime, { userId }: Asker, sessionId: string): Promise<CallAnswer> {
  for await (const _ of runtime.follow(sessionId, { untilIdle: true }));
  const view = await runtime.view(sessionId, { userId });
  const { pending, messages } = view;
  const [question] = pending;
  if (question !== undefined) return asking(sessionId, question as Question);
  const output = outputPartOf(view);
  if (output?.open === false) return done(sessionId, JSON.stringify(output.value));
  const last = messages.findLast(({ role }) => role === "assistant");
  const texts = last?.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])) ?? [];
  return done(sessionId, texts.join("\n\n"));
}

function answerOf({ sessionId, stop, text, output, pending }: RunResult): CallAnswer {
  const [question] = pending;
  if (question !== undefined) return asking(sessionId, question);
  // A run of an agent with an `output`. It may have one even if a limit has ended the run.
  if (output !== undefined && stop.type !== "terminal_tool") return done(sessionId, JSON.stringify(output));
  if (isFailed(stop)) return failed(stop.message);
  return done(sessionId, text || stop.message);
}

function asking(session: string, question: Question): CallAnswer {
  const state = { session, call: question.callId, question: question.seq };
  return { question: { key: KEY, form: formOf(question), state } };
}

/** Returns the result of a run that was a task. */
export function resultFor(session: string, { stop, isFailed: hasFailed, text, output }: EndOf): CallResult {
  if (output !== undefined) return done(session, JSON.stringify(output)).result;
  const answer = hasFailed ? failed(stop.message) : done(session, text || stop.message);
  return answer.result;
}

function done(session: string, text: string): { result: CallResult } {
  return { result: { content: [{ type: "text", text }], structuredContent: { text, session } } };
}

function failed(text: string): { result: CallResult } {
  return { result: { content: [{ type: "text", text }], isError: true } };
}
