import type { Json, JsonObject, Question, Schema } from "@pawl/core";
import type { Conversation } from "../state/conversation.ts";
import { backoffMs, pause, retryMs } from "../wire/backoff.ts";
import { eitherSignal } from "../wire/either-signal.ts";
import { isTemporary, Refused } from "../wire/request.ts";
import { ownTool, type PageTool, type WithTools } from "./page-tools.ts";
import { type Outcome, sendAnswer } from "./submit.ts";

/** The calls of each conversation that this page has begun to run, by question. */
const begun = new WeakMap<Conversation, Map<string, AbortController>>();

/** Runs the pending calls of this page's tools, each once. Aborts those whose result is no longer needed. */
export function runPageTools(talk: Conversation, from: WithTools): void {
  if (talk.life.signal.aborted) return;
  const calls = begun.get(talk) ?? new Map<string, AbortController>();
  begun.set(talk, calls);
  const { pending } = talk.facts.view;
  const open = new Set(pending.map(keyOf));
  for (const [key, call] of calls) if (!open.has(key)) call.abort();
  for (const question of pending) {
    const tool = ownTool(from, question);
    if (tool === undefined || calls.has(keyOf(question))) continue;
    const call = new AbortController();
    calls.set(keyOf(question), call);
    const signal = eitherSignal(talk.life.signal, call.signal);
    void runOnce(talk, question, tool, signal).catch(() => undefined);
    talk.life.signal.addEventListener("abort", () => calls.delete(keyOf(question)), { once: true });
  }
}

/** Returns the tools that the page offers, as they are sent. */
export function offeredBy({ tools = {} }: WithTools): JsonObject[] {
  return Object.entries(tools as { [name: string]: PageTool }).flatMap(([name, { description, input }]) => {
    if (description === undefined) return [];
    const standard = (input as Schema | undefined)?.["~standard"];
    const inputSchema = standard?.jsonSchema?.input({ target: "draft-2020-12" }) ?? input;
    // JSON leaves out an `inputSchema` that is `undefined`.
    return [{ name, description, inputSchema } as JsonObject];
  });
}

/** The locks of a browser. Their types are in TypeScript's `dom` library, which is not loaded here. */
type Page = {
  navigator?: {
    locks?: {
      request<R>(
        name: string,
        options: { ifAvailable?: true; signal?: AbortSignal },
        work: (lock: object | null) => Promise<R>,
      ): Promise<R>;
    };
  };
};

const keyOf = ({ callId, seq }: Question): string => `${callId}:${seq}`;

/**
 * Runs a call unless another tab of this browser is running it. If the browser has no locks, every tab runs
 * it, and the first result counts.
 */
async function runOnce(
  talk: Conversation,
  question: Question,
  tool: PageTool,
  signal: AbortSignal,
): Promise<void> {
  const locks = (globalThis as Page).navigator?.locks;
  const run = () => runAndAnswer(talk, question, tool, signal);
  if (locks === undefined) return await run();
  const name = `pawl:${talk.facts.sessionId}:${keyOf(question)}`;
  let state: "unasked" | "taken" | "ran" = "unasked";
  const work = async (lock: object | null) => {
    state = lock === null ? "taken" : "ran";
    if (lock !== null) await run();
  };
  await locks.request(name, { ifAvailable: true }, work).catch(() => undefined);
  // A browser refuses locks in some pages, e.g. in a sandboxed frame.
  if ((state as string) === "unasked") return await run();
  if ((state as string) === "ran") return;
  // Free once the other tab has answered, or was closed.
  await locks.request(name, { signal }, async () => {
    if (await isStillOpen(talk, question, signal)) await run();
  });
}

/** Asks the server whether a call still needs a result, until it responds. */
async function isStillOpen(talk: Conversation, question: Question, signal: AbortSignal): Promise<boolean> {
  for (let tries = 1; !signal.aborted; tries += 1) {
    try {
      const { pending } = await talk.wire.snapshot(talk.facts.sessionId ?? "", signal, 1);
      return pending.some((open) => keyOf(open) === keyOf(question));
    } catch (error) {
      if (!isTemporary(error)) return false;
      await pause(backoffMs(tries), signal);
    }
  }
  return false;
}

async function runAndAnswer(
  talk: Conversation,
  { callId, seq, payload }: Question,
  tool: PageTool,
  signal: AbortSignal,
): Promise<void> {
  if (signal.aborted) return;
  // A tool that ignores the signal must not keep the lock.
  const aborted = new Promise<undefined>((resolve) =>
    signal.addEventListener("abort", () => resolve(undefined), { once: true }),
  );
  // Once the tool has ended, its signal stays as it is: a result that was sent is no reason to abort.
  const running = new AbortController();
  const abort = () => running.abort();
  signal.addEventListener("abort", abort, { once: true });
  const ended = outcomeOf(tool, payload, callId, running.signal).finally(() =>
    signal.removeEventListener("abort", abort),
  );
  let outcome = await Promise.race([ended, aborted]);
  let isReplaced = false;
  for (let tries = 1; outcome !== undefined && !signal.aborted; tries += 1) {
    const { pending } = talk.facts.view;
    if (!pending.some((open) => open.callId === callId && open.seq === seq)) return;
    let error: unknown;
    const failed = (thrown: unknown) => {
      error = thrown;
      return !isGone(thrown);
    };
    if ((await sendAnswer(talk, callId, outcome, seq, failed)) || isGone(error)) return;
    if (error instanceof Refused && FINAL.includes(error.status)) {
      // The server refused the result, e.g. because it is too large. This error is sent to the model instead.
      if (isReplaced) return;
      isReplaced = true;
      outcome = { error: `The result could not be sent: ${error.message}`.slice(0, MOST_ERROR_CHARS) };
    } else await pause(retryMs(tries, error), signal);
  }
}

/** The statuses with which the server refuses what was sent: it would refuse the same again. */
const FINAL: readonly number[] = [400, 413, 422];

/** Returns whether a call needs no result any more: another page was first, or the question was closed. */
function isGone(error: unknown): boolean {
  return error instanceof Refused && ["already_answered", "unknown_call", "not_found"].includes(error.code);
}

async function outcomeOf(
  tool: PageTool,
  payload: Json,
  callId: string,
  signal: AbortSignal,
): Promise<Outcome> {
  try {
    const input = await checkedInput(tool, payload);
    // A value that is not JSON, e.g. with a cycle, fails here: it could never be sent.
    const json = JSON.stringify(await tool.execute(input, { callId, signal })) as string | undefined;
    return { value: JSON.parse(json ?? "null") };
  } catch (error) {
    // The model reads the message. The developer should see where it comes from.
    console.error(error);
    return { error: wordsOf(error).slice(0, MOST_ERROR_CHARS) };
  }
}

/** Returns what a tool's error says. A tool may throw anything, also what cannot become a text. */
function wordsOf(error: unknown): string {
  try {
    return String(error instanceof Error ? error.message : error);
  } catch {
    return "It failed without an error message.";
  }
}

const MOST_ERROR_CHARS = 10_000;

async function checkedInput({ input }: PageTool, payload: Json): Promise<Json> {
  const standard = (input as Schema | undefined)?.["~standard"];
  if (standard === undefined) return payload;
  const checked = await standard.validate(payload);
  if (checked.issues === undefined) return checked.value as Json;
  const problems = checked.issues
    .slice(0, 10)
    .map(({ message, path = [] }) => `${path.join(".")}: ${message}`);
  // biome-ignore lint/plugin: the page's code has no room for that function; ten are listed here, too.
  throw new Error(`The input does not match the tool's schema: ${problems.join("; ")}`);
}
