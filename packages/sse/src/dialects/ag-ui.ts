import type { StoredOf, ViewState } from "@pawl/core";
import {
  type AgUiMessage,
  agUiHistory,
  agUiMessages,
  answerId,
  contentOf,
  resultId,
  thoughtId,
} from "./ag-ui-messages.ts";
import { type AgUiEvent, lastEvent } from "./ag-ui-outcome.ts";
import { type AgUiInput, parseAgUi } from "./ag-ui-request.ts";
import type { BlockStep, Told } from "./blocks.ts";
import { type Dialect, dataFrame, type Encoder, type EncoderContext } from "./dialect.ts";
import { type Step, telling } from "./telling.ts";

/**
 * AG-UI, for `HttpAgent` of `@ag-ui/client` and what is built on it (CopilotKit, assistant-ui). What 0.0.59 and 1.0 both
 * take is sent, and what only 1.0 takes to clients that declare it. Point `url` at `/runs`. The thread's id is the user's own name
 * for the session; questions are interrupts, and `resume` answers them.
 *
 * @example
 * ```ts
 * import { agent, memoryStore, runtime } from "@pawl/core";
 * import { agUi, handler } from "@pawl/sse";
 * import { scriptedModel } from "@pawl/testing";
 *
 * const coach = agent({ name: "coach", model: scriptedModel([{ text: "Hello." }]), instructions: "Be kind." });
 * const serve = handler({
 *   runtime: runtime({ agents: [coach], store: memoryStore() }),
 *   agent: "coach",
 *   authorize: () => ({ userId: "ada" }),
 *   dialect: agUi(),
 * });
 * // In the app: new HttpAgent({ url: "https://…/runs", threadId })
 * const messages = [{ id: "m1", role: "user", content: "Good morning" }];
 * const response = await serve(
 *   new Request("http://localhost/runs", {
 *     method: "POST",
 *     headers: { "content-type": "application/json" },
 *     body: JSON.stringify({ threadId: "t1", runId: "r1", messages, tools: [], context: [] }),
 *   }),
 * );
 * console.log(await response.text());
 * ```
 */
export function agUi(): Dialect {
  return {
    name: "AG-UI",
    resume: "replay",
    threadField: "messages",
    parse: async (body, limits) => {
      const { input, begin } = await parseAgUi(body, limits);
      return { threadId: input.threadId, begin, encoder: (context) => agUiEncoder(context, input) };
    },
    encoder: (context) => agUiEncoder(context, undefined),
    refused: ({ code, message }) => [dataFrame({ type: "RUN_ERROR", message, code })],
    history: agUiHistory,
  };
}

function agUiEncoder(context: EncoderContext, input: AgUiInput | undefined): Encoder {
  const told = telling(context);
  const words = blockEvents();
  // One that declares a version later than ours takes this one too; before 1.0 none was declared.
  const isOne = input?.protocolVersion !== undefined;
  const run = { threadId: context.threadId, runId: input?.runId ?? context.runId };
  let step: string | undefined;
  const eventsOf = (one: Step, before: ViewState): AgUiEvent[] => {
    switch (one.type) {
      case "piece":
      case "settled":
        return words.events(one);
      case "void":
        return [...words.events(one), snapshot(before, emptied(one.blocks))];
      case "turn": {
        const ended = step === undefined ? [] : [{ type: "STEP_FINISHED", stepName: step }];
        step = `turn ${one.turn}`;
        return [...ended, { type: "STEP_STARTED", stepName: step }];
      }
      default:
        return callEvents(one);
    }
  };
  return {
    begin: () => {
      const started = { type: "RUN_STARTED", ...run, ...(isOne && { protocolVersion: "1.0" }) };
      return [started, ...(context.again ? [snapshot(context.before)] : [])].map(dataFrame);
    },
    encode: (event) => {
      // Without what this event brings: that is told behind it.
      const { view } = told;
      const events = told.steps(event).flatMap((one) => eventsOf(one, view));
      // Who comes back does not know what the user has said.
      const isNews = context.again === true && event.type === "user_message" && !words.isOpen();
      return [...events, ...(isNews ? [snapshot(told.view)] : [])].map(dataFrame);
    },
    end: () => {
      if (told.rest === undefined && !told.over) return [];
      const ended = step === undefined ? [] : [{ type: "STEP_FINISHED", stepName: step }];
      return [...ended, lastEvent(told, run, isOne)].map(dataFrame);
    },
    get over() {
      return told.over;
    },
  };
}

function snapshot(view: ViewState, more: readonly AgUiMessage[] = []): AgUiEvent {
  return { type: "MESSAGES_SNAPSHOT", messages: [...agUiMessages(view), ...more] };
}

/** Thinking that does not count, emptied: a client keeps what it has of it if a snapshot has none. */
function emptied(blocks: readonly Told[]): AgUiMessage[] {
  const thoughts = blocks.filter(({ kind }) => kind === "thinking");
  return thoughts.map((block) => ({ id: messageOf(block), role: "reasoning", content: "" }));
}

/** The model's words: one message for the text of an answer, one for each thought. */
function blockEvents(): { events(step: BlockStep): AgUiEvent[]; isOpen(): boolean } {
  const open = new Set<string>();
  const events = (step: BlockStep): AgUiEvent[] => {
    if (step.type === "piece") {
      const { key, kind, text: delta } = step;
      const messageId = messageOf({ key, kind });
      const isNew = !open.has(messageId);
      open.add(messageId);
      if (kind === "text") {
        const start = { type: "TEXT_MESSAGE_START", messageId, role: "assistant" };
        return [...(isNew ? [start] : []), { type: "TEXT_MESSAGE_CONTENT", messageId, delta }];
      }
      const start = [
        { type: "REASONING_START", messageId },
        { type: "REASONING_MESSAGE_START", messageId, role: "reasoning" },
      ];
      return [...(isNew ? start : []), { type: "REASONING_MESSAGE_CONTENT", messageId, delta }];
    }
    return step.blocks.flatMap(({ key, kind }) => {
      const messageId = messageOf({ key, kind });
      if (!open.delete(messageId)) return [];
      if (kind === "text") return [{ type: "TEXT_MESSAGE_END", messageId }];
      return [
        { type: "REASONING_MESSAGE_END", messageId },
        { type: "REASONING_END", messageId },
      ];
    });
  };
  return { events, isOpen: () => open.size > 0 };
}

/**
 * The message of a block: all text of an answer is one, each thought is one. A snapshot has taken away or emptied what is lost, so
 * that its name is free again.
 */
function messageOf({ key, kind }: Pick<Told, "key" | "kind">): string {
  if (kind === "text") return answerId(key.slice(0, key.indexOf(":")));
  return thoughtId(key.replace("'", ""));
}

function callEvents(step: Exclude<Step, BlockStep | { type: "turn" }>): AgUiEvent[] {
  switch (step.type) {
    case "call": {
      const { call_id: toolCallId, tool_name: toolCallName, arguments: input } = step.event.data;
      return [
        { type: "TOOL_CALL_START", toolCallId, toolCallName, parentMessageId: answerId(step.attempt) },
        { type: "TOOL_CALL_ARGS", toolCallId, delta: JSON.stringify(input) },
        { type: "TOOL_CALL_END", toolCallId },
      ];
    }
    case "started":
      return statusEvent(step.event);
    case "progress": {
      const { callId: toolCallId, toolName, data } = step;
      return [{ type: "CUSTOM", name: "tool_progress", value: { toolCallId, toolName, data } }];
    }
    case "result": {
      const { call_id: toolCallId, result } = step.event.data;
      const content = contentOf(result);
      const messageId = resultId(toolCallId);
      return [
        { type: "TOOL_CALL_RESULT", messageId, toolCallId, content, role: "tool" },
        ...statusEvent(step.event),
      ];
    }
    default:
      return [];
  }
}

/** What a tool says of itself. */
function statusEvent(event: StoredOf<"tool_started" | "tool_result">): AgUiEvent[] {
  const { call_id: toolCallId, tool_name: toolName, status: message } = event.data;
  if (message === undefined) return [];
  const phase = event.type === "tool_started" ? "start" : event.data.success ? "done" : "error";
  return [{ type: "CUSTOM", name: "tool_status", value: { toolCallId, toolName, phase, message } }];
}
