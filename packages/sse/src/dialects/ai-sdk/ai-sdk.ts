import { checkOptions, type StopReason } from "@pawl/core";
import { runMessageId, type ViewState } from "@pawl/core/view";
import type { Dialect, Encoder, EncoderContext } from "../base/dialect.ts";
import { noteFacts, type ThreadFacts } from "../base/facts.ts";
import { type Rest, type Step, type Telling, telling } from "../base/telling.ts";
import { callChunks } from "./ai-sdk-calls.ts";
import { blockChunks, type Chunk, partChunks, textChunks } from "./ai-sdk-chunks.ts";
import { chunkFrame } from "./ai-sdk-json.ts";
import { aiSdkMessages, assistantParts, begunOf, isNotice, noticeMark, spentOf } from "./ai-sdk-messages.ts";
import { type AiSdkOptions, checkedText, OPTIONS } from "./ai-sdk-options.ts";
import { parseAiSdk, unreadIn } from "./ai-sdk-request.ts";
import { dataPart, eachSourceOnce, outcomeUiPart } from "./ai-sdk-sources.ts";
import { stepChunks } from "./ai-sdk-steps.ts";
import type { UiPart } from "./ui-part.ts";

/**
 * Returns the dialect for `useChat` of AI SDK 6 (from 6.0.37) and 7, and for assistant-ui on top of it. Set
 * the `api` of `DefaultChatTransport` to the handler's `/runs` route; reconnecting needs no other option. The
 * page may choose any id for its chat.
 *
 * - Calls of the agent's tools are `providerExecuted`.
 * - Questions of `approval()` are approval requests. What to show of one, e.g. the `input` that will run, is
 *   `part.callProviderMetadata.pawl.approval`. Beside it are `approved` and `reason` once it is settled.
 * - Other questions are calls that the page answers with `addToolOutput`.
 * - The output of an agent with an `output` is the part `data-output`, with the id `output` and the data
 *   `{ value, final }`. It is sent again as it grows. `value` is `null` if there is no valid output.
 * - Sources and cited sources are `source-url` and `source-document` parts, files of results are `file`
 *   parts, and artifacts are `data-artifact` parts. A text's citations are its
 *   `providerMetadata.pawl.citations`. Parts that tools and hooks emit are the `data-*` parts of their names;
 *   the page's `onData` gets them too, and transient ones come only there. The message's metadata has
 *   `usage`, `costUsd` and `model`.
 * - Each step of an agent with `roles` begins with the part `data-role`, with the data `{ role }`.
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
  const { lostText = "mark", inProgress = "show", replayFailures = true } = options;
  const texts = { lostText, replayFailures, errorText: checkedText(options.errorText) };
  return {
    name: "AI SDK",
    headers: { "x-vercel-ai-ui-message-stream": "v1" },
    resume: "replay",
    // `stop()` only closes the connection. The run continues, and the page's next message must not be
    // refused.
    whenBusy: "interrupt",
    threadField: "messages",
    async parse(body, limits, earlier) {
      const { continues, ...asked } = await parseAiSdk(body, limits, earlier);
      const encoder = (context: EncoderContext) => aiSdkEncoder(context, { ...texts, continues });
      return { ...asked, unread: unreadIn(body), encoder };
    },
    encoder: (context) => aiSdkEncoder(context, { ...texts, continues: false }),
    history: (view, id, facts) => aiSdkMessages(view, id, facts, inProgress),
  };
}

interface EncoderOptions extends Required<Omit<AiSdkOptions, "inProgress">> {
  /** Whether the page keeps its part of the message, and only the rest is sent. */
  continues: boolean;
}

function aiSdkEncoder(context: EncoderContext, options: EncoderOptions): Encoder {
  const { facts, runId, cursor } = context;
  const told = telling(context);
  const words = blockChunks(options.lostText);
  const calls = callChunks(context, told);
  const sent = messageIds();
  const steps = stepChunks();
  /** Existing parts of the message that a retry continues. The page has removed them. */
  let kept: Chunk[] = [];
  /** Parts that the message has when it starts. */
  let known = told.goesOn ? partsOfMessage(context.before, runMessageId(context.before.run), facts) : [];
  let once = eachSourceOnce();

  const endOfMessage = () => [...steps.end(), ...metadataChunk(facts, sent.last)];
  /** Starts the message before its first content, so that pages never show an empty message. */
  const start = (): Chunk[] => {
    const messageId = runMessageId(told.run ?? { id: runId });
    if (sent.has(messageId)) return [];
    const before = sent.last === undefined ? [] : endOfMessage();
    sent.begin(messageId);
    once = eachSourceOnce(known);
    known = [];
    steps.message();
    const had = kept;
    kept = [];
    return [...before, startChunk(facts, messageId), ...had];
  };
  const chunksOf = (one: Step): Chunk[] => {
    if (one.type === "turn") return steps.turn(one.role);
    if (one.type === "output" && sent.last === undefined && one.value === undefined) return [];
    // A page only passes it to `onData`, so it does not begin a message.
    if (one.type === "transient") return [{ ...dataPart(one.part.type, one.part), transient: true }];
    if (one.type === "outcome") return [...start(), ...once([outcomeUiPart(one.part)])];
    const chunks =
      one.type === "piece" || one.type === "settled" || one.type === "void" ? words(one) : calls(one);
    if (chunks.length === 0) return [];
    const [first, news] = [start(), once(chunks)];
    // An output belongs to the message: a later answer may replace it.
    if (one.type === "output") return [...first, ...news];
    const removes = one.type === "void" && options.lostText === "reset";
    return [...first, ...steps.before(removes), ...news];
  };
  return {
    begin: () => [],
    encode: (event) => {
      const all = told.steps(event);
      if ("seq" in event) noteFacts(facts, event, told);
      if (event.type === "run_started") {
        steps.run();
        if (event.data.hand_overs !== undefined) sent.join(runMessageId(told.run));
        known = continuedParts(told, facts);
        if (!options.continues) kept = partChunks(known);
      }
      return all.flatMap(chunksOf).map(chunkFrame);
    },
    end: () => {
      if (told.rest === undefined && !told.over) return [];
      const notice = noticeOf(told.rest);
      const first = kept.length > 0 || notice.length > 0 ? start() : [];
      const all = [...first, ...notice, ...endOfMessage(), lastChunk(told.rest, cursor, options)];
      return [...all.map(chunkFrame), DONE];
    },
    refused: (error) => [chunkFrame({ type: "error", errorText: options.errorText(error) }), DONE],
    get over() {
      return told.over;
    },
  };
}

/**
 * The ids of the message that is being sent. On the page, the message of an agent that has taken the
 * conversation over joins the one before it.
 */
function messageIds() {
  let ids: readonly string[] = [];
  return {
    get last(): string | undefined {
      return ids.at(-1);
    },
    has: (id: string): boolean => ids.includes(id),
    begin: (id: string): void => {
      ids = [id];
    },
    join: (id: string): void => {
      if (ids.length > 0) ids = [...ids, id];
    },
  };
}

const DONE = "data: [DONE]\n\n";

function startChunk(facts: ThreadFacts, messageId: string): Chunk {
  const messageMetadata = begunOf(facts, messageId);
  return { type: "start", messageId, ...(messageMetadata && { messageMetadata }) };
}

function metadataChunk(facts: ThreadFacts, id: string | undefined): Chunk[] {
  const messageMetadata = id === undefined ? undefined : spentOf(facts, id);
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
  return message === undefined ? [] : assistantParts(message, facts);
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

/** Returns the last chunk of a stream that began after the event `cursor`. */
function lastChunk(
  rest: Rest | undefined,
  cursor: number,
  { replayFailures, errorText }: Pick<EncoderOptions, "replayFailures" | "errorText">,
): Chunk {
  if (rest === undefined) return { type: "finish", finishReason: "stop" };
  if (rest.type === "suspended") return { type: "finish", finishReason: "tool-calls" };
  const { seq, data } = rest.event;
  const { stop, session_status } = data;
  if (stop.type === "aborted") return { type: "abort", reason: stop.message };
  if (session_status === "error" && seq <= cursor && !replayFailures)
    return { type: "finish", finishReason: "error" };
  if (session_status === "error")
    return { type: "error", errorText: errorText({ code: stop.type, message: stop.message }) };
  return { type: "finish", finishReason: reasonOf(stop) };
}

function reasonOf({ type }: StopReason): string {
  return Object.hasOwn(REASONS, type) ? (REASONS[type] ?? "other") : "other";
}
