import { type Json, runMessageId, type StopReason, type StoredOf, type Suspension } from "@pawl/core";
import { aiSdkMessages, shownInput } from "./ai-sdk-messages.ts";
import { parseAiSdk } from "./ai-sdk-request.ts";
import { isApproval } from "./answers.ts";
import type { BlockStep, Told } from "./blocks.ts";
import { type Dialect, dataFrame, type Encoder, type EncoderContext } from "./dialect.ts";
import { questionId } from "./question-id.ts";
import { type Rest, type Step, telling } from "./telling.ts";

export interface AiSdkOptions {
  /**
   * What becomes of text that a failed attempt has streamed. `mark`: its parts stay in the message, with
   * `providerMetadata.pawl.void`, for the app to leave out; clients of version 6 know nothing better. `reset`: they are taken
   * back with `reset-step`, which ends the run in clients before version 7. Default: `mark`.
   */
  lostText?: "mark" | "reset";
}

/**
 * UI message streams of the AI SDK, as `useChat` of version 6 and 7 takes them. Point its `DefaultChatTransport` at
 * `/runs`: reconnecting works without another option. The chat's id is the user's own name for the session.
 *
 * Calls of the agent's tools are `providerExecuted`; questions of `approval()` are approval requests; other questions
 * are calls for the client to answer with `addToolOutput`. Give `sendAutomaticallyWhen` the predicate of
 * `@pawl/client/ai-sdk`, because the SDK's own repeat themselves without end.
 *
 * @example
 * ```ts
 * import { agent, memoryStore, runtime } from "@pawl/core";
 * import { aiSdk, handler } from "@pawl/sse";
 * import { scriptedModel } from "@pawl/testing";
 *
 * const coach = agent({ name: "coach", model: scriptedModel([{ text: "Hello." }]), instructions: "Be kind." });
 * const serve = handler({
 *   runtime: runtime({ agents: [coach], store: memoryStore() }),
 *   agent: "coach",
 *   authorize: () => ({ userId: "ada" }),
 *   dialect: aiSdk(),
 * });
 * // On the page: useChat({ transport: new DefaultChatTransport({ api: "/runs" }) })
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
export function aiSdk({ lostText = "mark" }: AiSdkOptions = {}): Dialect {
  return {
    name: "AI SDK",
    headers: { "x-vercel-ai-ui-message-stream": "v1" },
    resume: "replay",
    threadField: "messages",
    parse: parseAiSdk,
    encoder: (context) => aiSdkEncoder(context, lostText),
    history: aiSdkMessages,
  };
}

type Chunk = { readonly type: string; readonly [field: string]: unknown };

function aiSdkEncoder(context: EncoderContext, lostText: "mark" | "reset"): Encoder {
  const told = telling(context);
  const words = blockChunks(lostText);
  const calls = callChunks(told.goesOn ? context : undefined);
  let begun = false;
  let stepOpen = false;
  const chunksOf = (step: Step): Chunk[] => {
    switch (step.type) {
      case "piece":
      case "settled":
      case "void":
        return words(step);
      case "turn": {
        const chunks = [...(stepOpen ? [{ type: "finish-step" }] : []), { type: "start-step" }];
        stepOpen = true;
        return chunks;
      }
      default:
        return calls(step);
    }
  };
  /** The message is named with the first thing that is said in it. */
  const start = (): Chunk[] => {
    if (begun) return [];
    begun = true;
    return [{ type: "start", messageId: runMessageId(told.view.run ?? { id: context.runId }) }];
  };
  return {
    // Before the run has begun, the log does not name it yet.
    begin: () => {
      if (context.messageSeq !== undefined) return [];
      begun = true;
      const messageId = runMessageId(told.goesOn ? told.view.run : { id: context.runId });
      return [dataFrame({ type: "start", messageId })];
    },
    encode: (event) => {
      const chunks = told.steps(event).flatMap(chunksOf);
      return chunks.length === 0 ? [] : [...start(), ...chunks].map(dataFrame);
    },
    end: () => {
      if (told.rest === undefined && !told.over) return [];
      const last = [...(stepOpen ? [{ type: "finish-step" }] : []), lastChunk(told.rest)];
      return [...[...start(), ...last].map(dataFrame), "data: [DONE]\n\n"];
    },
    get over() {
      return told.over;
    },
  };
}

/** The model's words. A part is left open until its answer is on record, because what is closed cannot be marked any more. */
function blockChunks(lostText: "mark" | "reset"): (step: BlockStep) => Chunk[] {
  const open = new Set<string>();
  const prefix = ({ kind }: Pick<Told, "kind">) => (kind === "text" ? "text" : "reasoning");
  return (step) => {
    if (step.type === "piece") {
      const { key: id, text: delta } = step;
      const start = open.has(id) ? [] : [{ type: `${prefix(step)}-start`, id }];
      open.add(id);
      return [...start, { type: `${prefix(step)}-delta`, id, delta }];
    }
    for (const { key } of step.blocks) open.delete(key);
    if (step.type === "void" && lostText === "reset") return [{ type: "reset-step" }];
    const mark = step.type === "void" ? { providerMetadata: { pawl: { void: true } } } : {};
    return step.blocks.map((block) => ({ type: `${prefix(block)}-end`, id: block.key, ...mark }));
  };
}

type CallStep = Exclude<Step, BlockStep | { type: "turn" }>;

/**
 * Calls. Who runs one is known when it starts, asks or ends, so it is told then: a client that takes a call for its own
 * acts on it at once.
 */
function callChunks(before: EncoderContext | undefined): (step: CallStep) => Chunk[] {
  const made = new Map<string, { toolName: string; input: Json }>();
  const told = new Set<string>();
  const denied = new Set<string>();
  const message = before?.before.messages.find(({ id }) => id === runMessageId(before.before.run));
  for (const part of message?.parts ?? []) if (part.type === "tool") told.add(part.callId);

  const tell = (callId: string): Chunk[] => {
    const call = made.get(callId);
    if (told.has(callId) || call === undefined) return [];
    told.add(callId);
    return [{ type: "tool-input-available", toolCallId: callId, ...call, providerExecuted: true }];
  };
  const ask = (question: Suspension): Chunk[] => {
    const { callId: toolCallId, toolName, payload, seq } = question;
    const input = shownInput(question, made.get(toolCallId)?.input ?? {});
    const asked = isApproval(question);
    const call = { type: "tool-input-available", toolCallId, toolName, input, providerExecuted: asked };
    const isNew = !told.has(toolCallId);
    told.add(toolCallId);
    if (!asked) return [call];
    const approval = { approvalId: questionId(seq), approvalDescriptor: payload };
    return [...(isNew ? [call] : []), { type: "tool-approval-request", toolCallId, ...approval }];
  };
  return (step) => {
    switch (step.type) {
      case "call": {
        const { call_id, tool_name: toolName, arguments: input } = step.event.data;
        made.set(call_id, { toolName, input });
        return [];
      }
      case "started":
        return [...tell(step.event.data.call_id), ...statusChunk(step.event)];
      case "progress": {
        const { callId, toolName, data } = step;
        return [{ type: "data-tool-progress", data: { callId, toolName, data }, transient: true }];
      }
      case "asked":
        return ask(step.question);
      case "answered": {
        const { value, call_id } = step.event.data;
        if (value !== null && typeof value === "object" && "approved" in value && value.approved === false) {
          denied.add(call_id);
        } else denied.delete(call_id);
        return [];
      }
      case "result": {
        const { call_id } = step.event.data;
        if (!told.has(call_id) && !made.has(call_id)) return [];
        const outcome = resultChunk(step.event, denied.has(call_id));
        return [...tell(call_id), outcome, ...statusChunk(step.event)];
      }
      default:
        return [];
    }
  };
}

function resultChunk({ data }: StoredOf<"tool_result">, denied: boolean): Chunk {
  const call = { toolCallId: data.call_id };
  if (data.success) {
    return { type: "tool-output-available", ...call, output: data.result, providerExecuted: true };
  }
  if (denied) return { type: "tool-output-denied", ...call };
  return { type: "tool-output-error", ...call, errorText: String(data.result), providerExecuted: true };
}

/** What a tool says of itself; not a part of the message. */
function statusChunk(event: StoredOf<"tool_started" | "tool_result">): Chunk[] {
  const { call_id: callId, tool_name: toolName, status } = event.data;
  if (status === undefined) return [];
  const phase = event.type === "tool_started" ? "start" : event.data.success ? "done" : "error";
  return [{ type: "data-tool-status", data: { callId, toolName, phase, message: status }, transient: true }];
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
