import type { Json, JsonObject, Question, Schema } from "@pawl/core";
import type { Conversation } from "../state/conversation.ts";
import { backoffMs, pause } from "../wire/backoff.ts";
import { eitherSignal } from "../wire/either-signal.ts";
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
  const isTaken = await locks.request(name, { ifAvailable: true }, async (lock) => {
    if (lock !== null) await run();
    return lock === null;
  });
  if (!isTaken) return;
  // Free once the other tab has answered, or was closed.
  await locks.request(name, { signal }, async () => {
    const { pending } = await talk.wire.snapshot(talk.facts.sessionId ?? "", signal);
    if (pending.some((open) => keyOf(open) === keyOf(question))) await run();
  });
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
  const outcome = await Promise.race([outcomeOf(tool, payload, callId, signal), aborted]);
  if (outcome === undefined) return;
  for (let tries = 1; !signal.aborted; tries += 1) {
    if (await sendAnswer(talk, callId, outcome, seq)) return;
    const { error } = talk.facts;
    if (signal.aborted || error?.callId !== callId) return;
    if (error.code !== "network") {
      // The server refused the result, e.g. because it is too large. This error is sent to the model instead.
      await sendAnswer(talk, callId, { error: `The result could not be sent: ${error.message}` }, seq);
      return;
    }
    await pause(backoffMs(tries), signal);
  }
}

async function outcomeOf(
  tool: PageTool,
  payload: Json,
  callId: string,
  signal: AbortSignal,
): Promise<Outcome> {
  try {
    const input = await checkedInput(tool, payload);
    return { value: (await tool.execute(input, { callId, signal })) ?? null };
  } catch (error) {
    return { error: (error instanceof Error ? error.message : String(error)).slice(0, MOST_ERROR_CHARS) };
  }
}

const MOST_ERROR_CHARS = 10_000;

async function checkedInput({ input }: PageTool, payload: Json): Promise<Json> {
  const standard = (input as Schema | undefined)?.["~standard"];
  if (standard === undefined) return payload;
  const checked = await standard.validate(payload);
  if (checked.issues === undefined) return checked.value as Json;
  const problems = checked.issues.map(({ message, path = [] }) => `${path.join(".")}: ${message}`);
  throw new Error(`The input does not match the tool's schema: ${problems.join("; ")}`);
}
