import { checkOptions, type OptionKinds, type StopReason } from "@pawl/core";
import { runMessageId, type ViewState } from "@pawl/core/view";
import type { WireError } from "../../request/wire-error.ts";
import { type Dialect, dataFrame, type Encoder, type EncoderContext } from "../base/dialect.ts";
import { noteFacts, type ThreadFacts } from "../base/facts.ts";
import { type Rest, type Step, type Telling, telling } from "../base/telling.ts";
import { callChunks } from "./ai-sdk-calls.ts";
import { blockChunks, type Chunk, partChunks, textChunks } from "./ai-sdk-chunks.ts";
import { aiSdkMessages, assistantParts, isNotice, metadataOf, noticeMark } from "./ai-sdk-messages.ts";
import { parseAiSdk, unreadIn } from "./ai-sdk-request.ts";
import { eachSourceOnce, outcomeUiPart } from "./ai-sdk-sources.ts";
import type { UiPart } from "./ui-part.ts";

/** Options of `aiSdk()`. */
export interface AiSdkOptions {
  /**
   * What happens on the page to the text of a failed attempt. Default: `mark`.
   *
   * - `mark`: the text's parts stay in the message, with `providerMetadata.pawl.void`. Your app must hide
   *   them.
   * - `reset`: a `reset-step` event removes them. Requires AI SDK 7.0.70: in older clients the event ends the
   *   run.
   */
  lostText?: "mark" | "reset";
}

const OPTIONS: OptionKinds<AiSdkOptions> = {
  lostText: {
    mustBe: '"mark" or "reset"',
    is: (value) => value === "mark" || value === "reset",
    isPublic: true,
  },
};

/**
 * Returns the dialect for `useChat` of AI SDK 6 (from 6.0.37) and 7, and for assistant-ui on top of it. Set
 * the `api` of `DefaultChatTransport` to the handler's `/runs` route; reconnecting needs no other option. The
 * page may choose any id for its chat.
 *
 * - Calls of the agent's tools are `providerExecuted`.
 * - Questions of `approval()` are approval requests. What to show of one, e.g. the `input` that will run, is
 *   `part.callProviderMetadata.pawl.approval`.
 * - Other questions are calls that the page answers with `addToolOutput`.
 * - The output of an agent with an `output` is the part `data-output`, with the id `output` and the data
 *   `{ value, final }`. It is sent again as it grows. `value` is `null` if there is no valid output.
 * - Sources and cited sources are `source-url` and `source-document` parts, files of results are `file`
 *   parts, and artifacts are `data-artifact` parts. A text's citations are its
 *   `providerMetadata.pawl.citations`. The message's metadata has `usage`, `costUsd` and `model`.
 * - For all kinds of questions, set `sendAutomaticallyWhen` to `answersAreComplete` of `@pawl/client/ai-sdk`.
 * - `regenerate()` retries the last message if its run failed.
 *
 * @example
 * ```ts
 * import { agent, memoryStore, runtime } from "@pawl/core";
 * import { aiSdk, handler } from "@pawl/sse";
 * import { scriptedModel } from "@pawl/testing";
 *
 * const coach = agent({
 *   name: "coach",
 *   model: scriptedModel([{ text: "Hello." }]),
 *   instructions: "Be kind.",
 * });
 * const serve = handler({
 *   runtime: runtime({ agents: [coach], store: memoryStore() }),
 *   agent: "coach",
 *   authorize: () => ({ userId: "ada" }),
 *   dialect: aiSdk(),
 * });
 * const messages = [{ id: "m1", role: "user", parts: [{ type: "text", text: "Good morning" }] }];
 * const response = await serve(
 *   new Request("http://localhost/runs", {
 *     method: "POST",
 *     headers: { "content-type": "application/json" },
 *     body: JSON.stringify({ id: "chat1", trigger: "submit-message", messages }),
 *   }),
 * );
 * console.log(await response.text());
 * ```
 */
// On the page: useChat({ transport: new DefaultChatTransport({ api: "/runs" }) })
export function aiSdk(options: AiSdkOptions = {}): Dialect {
  checkOptions("aiSdk()", options, OPTIONS);
  const { lostText = "mark" } = options;
  return {
    name: "AI SDK",
    headers: { "x-vercel-ai-ui-message-stream": "v1" },
    resume: "replay",
    // `stop()` only closes the connection. The run continues, and the page's next message must not be
    // refused.
    whenBusy: "interrupt",
    threadField: "messages",
    async parse(body, limits) {
      const { continues, ...asked } = await parseAiSdk(body, limits);
      const encoder = (context: EncoderContext) => aiSdkEncoder(context, { lostText, continues });
      return { ...asked, unread: unreadIn(body), encoder };
    },
    encoder: (context) => aiSdkEncoder(context, { lostText, continues: false }),
    history: aiSdkMessages,
  };
}

interface EncoderOptions extends Required<AiSdkOptions> {
  /** Whether the page keeps its part of the message, and only the rest is sent. */
  continues: boolean;
}

function aiSdkEncoder(context: EncoderContext, { lostText, continues }: EncoderOptions): Encoder {
  const { facts, runId } = context;
  const told = telling(context);
  const words = blockChunks(lostText);
  const calls = callChunks(context, told.goesOn);
  /** Id of the message that is being sent. */
  let begun: string | undefined;
  let step: "none" | "due" | "open" = "none";
  /** Existing parts of the message that a retry continues. The page has removed them. */
  let kept: Chunk[] = [];
  /** Parts that the message has when it starts. */
  let known = told.goesOn ? partsOfMessage(context.before, runMessageId(context.before.run), facts) : [];
  let once = eachSourceOnce();

  const endOfMessage = () => [
    ...(step === "open" ? [{ type: "finish-step" }] : []),
    ...metadataChunk(facts, begun),
  ];
  /** Starts the message before its first content, so that pages never show an empty message. */
  const start = (): Chunk[] => {
    const messageId = runMessageId(told.run ?? { id: runId });
    if (messageId === begun) return [];
    const before = begun === undefined ? [] : endOfMessage();
    begun = messageId;
    once = eachSourceOnce(known);
    known = [];
    if (step === "open") step = "due";
    const had = kept;
    kept = [];
    return [...before, { type: "start", messageId }, ...had];
  };
  const chunksOf = (one: Step): Chunk[] => {
    if (one.type === "turn") {
      const over = step === "open" ? [{ type: "finish-step" }] : [];
      step = "due";
      return over;
    }
    if (one.type === "output" && begun === undefined && one.value === undefined) return [];
    if (one.type === "outcome") return [...start(), ...once([outcomeUiPart(one.part)])];
    const chunks =
      one.type === "piece" || one.type === "settled" || one.type === "void" ? words(one) : calls(one);
    if (chunks.length === 0) return [];
    const first = start();
    const news = once(chunks);
    if (step !== "due") return [...first, ...news];
    step = "open";
    return [...first, { type: "start-step" }, ...news];
  };
  return {
    begin: () => [],
    encode: (event) => {
      const steps = told.steps(event);
      if ("seq" in event) noteFacts(facts, event, told);
      if (event.type === "run_started") known = continuedParts(told, facts);
      if (event.type === "run_started" && !continues) kept = partChunks(known);
      return steps.flatMap(chunksOf).map(dataFrame);
    },
    end: () => {
      if (told.rest === undefined && !told.over) return [];
      const notice = noticeOf(told.rest);
      const first = kept.length > 0 || notice.length > 0 ? start() : [];
      return [...[...first, ...notice, ...endOfMessage(), lastChunk(told.rest)].map(dataFrame), DONE];
    },
    refused,
    get over() {
      return told.over;
    },
  };
}

const DONE = "data: [DONE]\n\n";

function refused({ message }: WireError["error"]): readonly string[] {
  return [dataFrame({ type: "error", errorText: message }), DONE];
}

function metadataChunk(facts: ThreadFacts, id: string | undefined): Chunk[] {
  const messageMetadata = id === undefined ? undefined : metadataOf(facts, id);
  return messageMetadata === undefined ? [] : [{ type: "message-metadata", messageMetadata }];
}

/** Returns the parts of the message that a retry continues, as the page has them; none for other runs. */
function continuedParts(told: Telling, facts: ThreadFacts): UiPart[] {
  const id = told.run?.continues;
  return id === undefined ? [] : partsOfMessage(told.view, id, facts);
}

/** Returns the parts of a message as the page has them. */
function partsOfMessage(view: ViewState, id: string | undefined, facts: ThreadFacts): UiPart[] {
  const message = view.messages.find((one) => one.id === id);
  return message === undefined ? [] : assistantParts(message, view, facts);
}

/**
 * Returns a text that explains why the run ended. Returns nothing for failures, which are sent as errors, and
 * for ends that need no explanation.
 */
function noticeOf(rest: Rest | undefined): Chunk[] {
  if (rest?.type !== "ended") return [];
  const { run_id, stop, session_status } = rest.event.data;
  if (!isNotice(stop.type, session_status === "error")) return [];
  return textChunks("text", `end:${run_id}`, stop.message, noticeMark(stop.type));
}

const REASONS: { readonly [type: string]: string } = {
  end_turn: "stop",
  terminal_tool: "stop",
  max_tokens: "length",
  context_window: "length",
  refusal: "content-filter",
};

function lastChunk(rest: Rest | undefined): Chunk {
  if (rest === undefined) return { type: "finish", finishReason: "stop" };
  if (rest.type === "suspended") return { type: "finish", finishReason: "tool-calls" };
  const { stop, session_status } = rest.event.data;
  if (stop.type === "aborted") return { type: "abort", reason: stop.message };
  if (session_status === "error") return { type: "error", errorText: stop.message };
  return { type: "finish", finishReason: reasonOf(stop) };
}

function reasonOf({ type }: StopReason): string {
  return Object.hasOwn(REASONS, type) ? (REASONS[type] ?? "other") : "other";
}
