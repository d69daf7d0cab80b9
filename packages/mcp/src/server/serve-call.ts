import type { ServerContext } from "@modelcontextprotocol/server";
import {
  isFailed,
  type Json,
  type JsonObject,
  PawlError,
  type Question,
  type RunOptions,
  type RunResult,
  type Runtime,
} from "@pawl/core";
import { objectIn, own } from "../base/json.ts";
import { type Form, formOf } from "./form.ts";

/** An agent that is served, and how. */
export interface ServedAgent {
  runtime: Runtime;
  agent: string;
  toolName: string;
  description: string;
}

/** What a call is answered with: a result, or a question to the user. */
export type CallAnswer =
  | { result: { content: { type: "text"; text: string }[]; structuredContent?: JsonObject; isError?: true } }
  | { question: { key: string; form: Form; state: JsonObject } };

/** The key of a question in a request. There is one question at a time. */
const KEY = "answer";

type Asker = Pick<RunOptions, "userId" | "caller" | "credentials">;

/** Begins a run for a call, or answers the question that its state names. */
export async function answerCall(
  { runtime, agent }: ServedAgent,
  { message, session }: { message: string; session?: string },
  { mcpReq, http }: ServerContext,
): Promise<CallAnswer> {
  const { clientId: userId = "", extra } = http?.authInfo ?? {};
  const asker = { userId, ...extra } as Asker;
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
      return answerOf(await runtime.run(agent, options).result);
    }
    const given = objectIn((mcpReq.inputResponses as JsonObject | undefined)?.[KEY]);
    return await continueRun(runtime, agent, asker, state, given);
  } catch (error) {
    if (!PawlError.is(error)) throw error;
    return failed(error.code === "not_found" ? "There is no such session." : error.message);
  }
}

/** The client's own id of the call, if it gives one: the same call sent again is then the same run. */
function idOf(meta: JsonObject = {}): string | undefined {
  const id = own(meta, "pawl/idempotencyKey") ?? own(meta, "pawl/callId");
  return typeof id === "string" ? id : undefined;
}

async function continueRun(
  runtime: Runtime,
  agent: string,
  asker: Asker,
  state: JsonObject,
  { action, content }: JsonObject,
): Promise<CallAnswer> {
  const sessionId = String(state.session);
  const { pending } = await runtime.view(sessionId, { userId: asker.userId });
  const question = pending.find(({ callId, seq }) => callId === state.call && seq === state.question);
  // The answer was sent before. What came of it counts.
  if (question === undefined) return await outcomeOf(runtime, asker, sessionId);
  const form = formOf(question);
  const { callId, seq } = question;
  const options = (answer: { value: Json } | { error: string }): RunOptions => ({
    ...asker,
    sessionId,
    answers: [{ callId, question: seq, ...answer }],
  });
  if (action !== "accept") {
    const answer = form.no === undefined ? { error: "The user declined to answer." } : { value: form.no };
    return answerOf(await runtime.run(agent, options(answer)).result);
  }
  let value: Json;
  try {
    value = form.valueOf(objectIn(content));
  } catch {
    return asking(sessionId, question);
  }
  try {
    return answerOf(await runtime.run(agent, options({ value })).result);
  } catch (error) {
    if (PawlError.is(error, "already_answered")) return await outcomeOf(runtime, asker, sessionId);
    // The question stays open, and the user may correct the answer.
    if (PawlError.is(error, "invalid_answer")) return asking(sessionId, question);
    throw error;
  }
}

/** Waits until the session's run has ended or asks again, and returns what it has come to. */
async function outcomeOf(runtime: Runtime, { userId }: Asker, sessionId: string): Promise<CallAnswer> {
  for await (const _ of runtime.follow(sessionId, { untilIdle: true }));
  const { pending, messages } = await runtime.view(sessionId, { userId });
  const [question] = pending;
  if (question !== undefined) return asking(sessionId, question as Question);
  const last = messages.findLast(({ role }) => role === "assistant");
  const texts = last?.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])) ?? [];
  return done(sessionId, texts.join("\n\n"));
}

function answerOf({ sessionId, stop, text, pending }: RunResult): CallAnswer {
  const [question] = pending;
  if (question !== undefined) return asking(sessionId, question);
  if (isFailed(stop)) return failed(stop.message);
  return done(sessionId, text || stop.message);
}

function asking(session: string, question: Question): CallAnswer {
  const state = { session, call: question.callId, question: question.seq };
  return { question: { key: KEY, form: formOf(question), state } };
}

function done(session: string, text: string): CallAnswer {
  return { result: { content: [{ type: "text", text }], structuredContent: { text, session } } };
}

function failed(text: string): CallAnswer {
  return { result: { content: [{ type: "text", text }], isError: true } };
}
