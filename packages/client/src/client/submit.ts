import type { Json, JsonObject } from "@pawl/core";
import { PawlError } from "@pawl/core/view";
import type { AgentFailure } from "../state/agent-state.ts";
import { isSubmitting } from "../state/agent-state.ts";
import { type Conversation, failureOf, update } from "../state/conversation.ts";
import { pause, retryMs } from "../wire/backoff.ts";
import { isTemporary, Refused, sessionOf } from "../wire/request.ts";
import type { RunBody } from "../wire/wire.ts";
import { checkArgument, refuseEvent } from "./check-client.ts";
import { checkedFiles, shownFile, type UploadOptions } from "./checked-files.ts";
import { lead, newReader, readRun, watchAgain } from "./reading.ts";
import type { Prepare } from "./send-files.ts";

/**
 * The most times that a message or an answer is sent while the server cannot be reached. The server stores it
 * once.
 */
const TRIES = 3;

/** Options of `send()`. */
export interface SendOptions extends UploadOptions {
  /**
   * Your own fields for the request's body, e.g. what is on the screen. The server reads the fields that its
   * option `handler({ extra })` lists. Default: none.
   */
  extra?: JsonObject;
}

/**
 * Sends a message, unless a request is in flight. The message is shown at once, and removed if the server
 * refuses it or one of its files. `prepare` completes a message with files, or of a page that `offers` tools.
 */
export async function sendMessage(
  talk: Conversation,
  text: string,
  { extra, files: given = [], ...uploading }: SendOptions = {},
  prepare: Prepare,
  offers: boolean,
): Promise<boolean> {
  checkArgument("The message for send()", text, "string");
  const { onProgress: _, signal: __, ...unknown } = uploading;
  const [wrong] = Object.keys(unknown);
  if (wrong !== undefined)
    throw new PawlError(
      "config",
      `send() has no option "${wrong}"; it has files, extra, onProgress, signal.`,
    );
  const files = checkedFiles(given);
  const isEmpty = text.trim() === "" && files.length === 0;
  if (talk.life.signal.aborted || isEmpty || isSubmitting(talk.facts)) return false;
  let id: string;
  try {
    id = talk.newId();
  } catch (cause) {
    update(talk, { error: { ...unsent(cause), text } });
    return false;
  }
  const shown = files.length === 0 ? {} : { files: files.map(shownFile) };
  update(talk, { sending: { id, text, ...shown }, error: undefined });
  const body = { ...extra, input: text, clientMessageId: id };
  if (files.length === 0 && !offers) return await submit(talk, body, { text });
  const posting = prepareAndPost(talk, text, () => prepare(talk, body, files, uploading), uploading.signal);
  talk.posting = posting;
  return await posting;
}

async function prepareAndPost(
  talk: Conversation,
  text: string,
  prepared: () => Promise<RunBody>,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const { life } = talk;
  try {
    const body = await prepared();
    // The user has left the conversation meanwhile.
    return !life.signal.aborted && (await postAndRead(talk, body, { text }));
  } catch (error) {
    if (life.signal.aborted) return false;
    if (signal?.aborted) update(talk, { sending: undefined });
    else takeBack(talk, { text }, error);
    return false;
  }
}

/** Reports that `newId` of a client failed, and returns the failure to show. */
export function unsent(cause: unknown): AgentFailure {
  console.error("pawl: The client's `newId` failed, so the message was not sent.", cause);
  return { code: "internal", message: "Your message could not be sent. Please try again." };
}

/** An answer to a question: a value, or the error of this page's tool. */
export type Outcome = { value: Json } | { error: string };

/**
 * Answers a question, unless its answer is in flight or the question is no longer pending. `question` is the
 * `seq` of the question to answer. Default: the call's pending one. `failed` gets the error if the server
 * does not accept the answer, and returns whether to show it.
 */
export async function sendAnswer(
  talk: Conversation,
  callId: string,
  outcome: Outcome,
  question?: number,
  failed?: (error: unknown) => boolean,
): Promise<boolean> {
  checkArgument("The call's id for answer() and fail()", callId, "string");
  if ("error" in outcome) checkArgument("The error for fail()", outcome.error, "string");
  else refuseEvent("The value for answer()", outcome.value);
  const { view, answering } = talk.facts;
  if (talk.life.signal.aborted || answering.has(callId)) return false;
  const asked = view.pending.find((waiting) => waiting.callId === callId);
  if (asked === undefined || asked.seq !== (question ?? asked.seq)) {
    update(talk, {
      error: { code: "unknown_call", message: "This question is no longer open.", callId },
    });
    return false;
  }
  update(talk, { answering: new Set([...answering, callId]), error: undefined });
  return await submit(talk, { answers: [{ callId, question: asked.seq, ...outcome }] }, { callId, failed });
}

/** Retries the last message after its run failed, unless a request is in flight. */
export async function sendRetry(talk: Conversation): Promise<boolean> {
  const { run } = talk.facts.view;
  if (talk.life.signal.aborted || run === undefined || isSubmitting(talk.facts)) return false;
  update(talk, { error: undefined });
  return await submit(talk, { retry: run.id }, {});
}

/** Asks the run to stop, after any message in flight has arrived. */
export async function sendStop(talk: Conversation): Promise<void> {
  const { signal } = talk.life;
  await talk.posting;
  const { sessionId } = talk.facts;
  if (sessionId === undefined || signal.aborted) return;
  try {
    await talk.wire.stop(sessionId, signal);
  } catch (error) {
    if (!signal.aborted) update(talk, { error: failureOf(error) });
  }
}

interface About extends Pick<AgentFailure, "text" | "callId"> {
  failed?: ((error: unknown) => boolean) | undefined;
}

function submit(talk: Conversation, body: RunBody, about: About): Promise<boolean> {
  const posting = postAndRead(talk, body, about);
  talk.posting = posting;
  return posting;
}

async function postAndRead(talk: Conversation, body: RunBody, about: About): Promise<boolean> {
  const { life } = talk;
  const { control, signal } = newReader(talk);
  const { sessionId } = talk.facts;
  try {
    const response = await post(talk, sessionId === undefined ? body : { ...body, sessionId }, signal);
    if (life.signal.aborted) return false;
    if (response === undefined) {
      watchAgain(talk);
      return true;
    }
    lead(talk, control);
    const id = sessionId ?? sessionOf(response);
    update(talk, { sessionId: id, connection: "open" });
    void readRun(talk, response, signal);
    return true;
  } catch (error) {
    if (!life.signal.aborted) takeBack(talk, about, error);
    return false;
  }
}

/**
 * Sends a request, up to {@link TRIES} times. Resolves to `undefined` if the server had accepted an earlier
 * try whose response was lost.
 */
async function post(talk: Conversation, body: RunBody, signal: AbortSignal): Promise<Response | undefined> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await talk.wire.run(body, signal);
    } catch (error) {
      if (tries > 1 && error instanceof Refused && error.code === "already_answered") return undefined;
      if (tries === TRIES || signal.aborted || !isTemporary(error)) throw error;
      await pause(retryMs(tries, error), signal);
    }
  }
}

function takeBack(talk: Conversation, { failed, ...about }: About, error: unknown): void {
  const { sending, answering } = talk.facts;
  const isShown = failed?.(error) ?? true;
  const others = new Set([...answering].filter((callId) => callId !== about.callId));
  update(talk, {
    sending: about.text === undefined ? sending : undefined,
    answering: others,
    ...(isShown && { error: { ...failureOf(error), ...about } }),
  });
  // Another answer may have been first, or the question was closed: read the log for the actual state.
  if (about.callId !== undefined) watchAgain(talk);
}
