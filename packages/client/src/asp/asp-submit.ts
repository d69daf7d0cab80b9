import type { Json, JsonObject } from "@pawl/core";
import { checkArgument, refuseEvent } from "../client/check-client.ts";
import { unsent } from "../client/submit.ts";
import { Refused, sessionOf } from "../wire/request.ts";
import { load, read } from "./asp-reading.ts";
import { beforeRetry, withUserMessage } from "./asp-state.ts";
import { type AspRequest, type AspTalk, change, fail, leaveStream, newReader } from "./asp-talk.ts";
import { aspFailure } from "./asp-wire.ts";

function isBusy({ life, facts }: AspTalk): boolean {
  return life.signal.aborted || facts.submitting || facts.reading || facts.loading;
}

/** Sends a message, unless a request or a turn is in progress. */
export async function sendText(talk: AspTalk, text: string, extra?: JsonObject): Promise<boolean> {
  checkArgument("The message for send()", text, "string");
  if (isBusy(talk) || text.trim() === "") return false;
  let id: string;
  try {
    id = talk.newId();
  } catch (cause) {
    change(talk, { error: { ...unsent(cause), text } });
    return false;
  }
  return await submit(talk, {
    body: { ...extra, message: text, client_message_id: id },
    show: (view) => withUserMessage(view, { id, text }),
    about: { text },
  });
}

/** Answers a call that waits, or reports that it has failed on the page. */
export async function sendResult(
  talk: AspTalk,
  callId: string,
  result: { content: Json; is_error?: true },
): Promise<boolean> {
  checkArgument("The call's id for answer() and fail()", callId, "string");
  refuseEvent("The value for answer()", result.content);
  if (isBusy(talk)) return false;
  const body = { tool_results: [{ tool_use_id: callId, ...result }] };
  return await submit(talk, { body, show: (view) => view, about: { callId } });
}

/** Sends what was refused again. Or else loads the session, and runs its last message again if it failed. */
export async function sendAgain(talk: AspTalk): Promise<boolean> {
  if (isBusy(talk)) return false;
  const { refused, facts } = talk;
  if (refused !== undefined) return await submit(talk, refused);
  if (facts.sessionId === undefined) return false;
  const run = await load(talk);
  if (run === undefined) return false;
  if (!run.isIncomplete) return true;
  return await submit(talk, { body: { retry: run.id }, show: beforeRetry, about: {} });
}

/** Asks the run to stop. Its stream then ends with the stop reason `aborted`. */
export async function sendStop(talk: AspTalk): Promise<void> {
  const { signal } = talk.life;
  await talk.posting;
  const { sessionId } = talk.facts;
  if (signal.aborted) return;
  try {
    if (sessionId === undefined) leaveStream(talk);
    else await talk.wire.stop(sessionId, signal);
  } catch (error) {
    if (signal.aborted) return;
    leaveStream(talk);
    change(talk, { error: aspFailure(error) });
  }
}

function submit(talk: AspTalk, request: AspRequest): Promise<boolean> {
  const posting = post(talk, request);
  talk.posting = posting;
  return posting;
}

async function post(talk: AspTalk, request: AspRequest): Promise<boolean> {
  const signal = newReader(talk);
  const { view, sessionId } = talk.facts;
  change(talk, { view: request.show(view), submitting: true, error: undefined });
  try {
    const named = sessionId === undefined ? request.body : { ...request.body, session_id: sessionId };
    const response = await talk.wire.run(named, signal);
    signal.throwIfAborted();
    const id = sessionOf(response) ?? sessionId;
    talk.refused = undefined;
    change(talk, { sessionId: id, submitting: false, reading: true });
    void read(talk, response, signal).catch((error) => fail(talk, error, signal));
    return true;
  } catch (error) {
    talk.refused = canBeSentAgain(request, error) ? request : undefined;
    const failure = signal.aborted ? undefined : { ...aspFailure(error), ...request.about };
    change(talk, { view, submitting: false, error: failure });
    return false;
  }
}

/** Returns whether a request may be accepted later. An answer to a question that is closed never is. */
function canBeSentAgain({ about }: AspRequest, error: unknown): boolean {
  const isRefused = error instanceof Refused && (error.status === 409 || error.status === 422);
  return about.callId === undefined || !isRefused;
}
