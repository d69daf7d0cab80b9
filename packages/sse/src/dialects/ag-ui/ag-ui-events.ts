import type { Json, StoredOf } from "@pawl/core";
import type { ViewPart } from "@pawl/core/view";
import { statusPhase } from "../base/answers.ts";
import type { BlockStep, Told } from "../base/blocks.ts";
import type { Step } from "../base/telling.ts";
import { activitiesOf } from "./ag-ui-activities.ts";
import type { AgUiMessage } from "./ag-ui-message.ts";
import { answerId, contentOf, resultId, thoughtId } from "./ag-ui-messages.ts";
import type { AgUiEvent } from "./ag-ui-outcome.ts";

/**
 * Returns void thinking as messages with empty text. Clients keep their own thinking if a snapshot has none.
 */
export function emptied(blocks: readonly Pick<Told, "key" | "kind">[]): AgUiMessage[] {
  const thoughts = blocks.filter(({ kind }) => kind === "thinking");
  return thoughts.map((block) => ({ id: messageOf(block), role: "reasoning", content: "" }));
}

/**
 * Returns an encoder for the model's text: one message for the text of an answer, and one for each block of
 * thinking. `open()` returns the messages in progress, with the text that was sent so far.
 */
export function blockEvents(): {
  events(step: BlockStep): AgUiEvent[];
  open(): AgUiMessage[];
  /** Sets the agent's role that speaks from now on: the name of its messages. */
  spokenBy(role: string | undefined): void;
  isOpen(block: Pick<Told, "key" | "kind">): boolean;
} {
  const open = new Map<string, { id: string; role: string; name?: string; content: string }>();
  let name: { name?: string } = {};
  const events = (step: BlockStep): AgUiEvent[] => {
    if (step.type === "piece") {
      const { key, kind, text: delta } = step;
      const messageId = messageOf({ key, kind });
      const known = open.get(messageId);
      const isNew = known === undefined;
      if (known !== undefined) known.content += delta;
      else
        open.set(messageId, {
          id: messageId,
          role: kind === "text" ? "assistant" : "reasoning",
          ...(kind === "text" && name),
          content: delta,
        });
      if (kind === "text") {
        const start = { type: "TEXT_MESSAGE_START", messageId, role: "assistant", ...name };
        return [...(isNew ? [start] : []), { type: "TEXT_MESSAGE_CONTENT", messageId, delta }];
      }
      const start = [
        { type: "REASONING_START", messageId },
        { type: "REASONING_MESSAGE_START", messageId, role: "reasoning" },
      ];
      return [...(isNew ? start : []), { type: "REASONING_MESSAGE_CONTENT", messageId, delta }];
    }
    const ends = step.blocks.flatMap(({ key, kind }) => {
      const messageId = messageOf({ key, kind });
      if (!open.delete(messageId)) return [];
      if (kind === "text") return [{ type: "TEXT_MESSAGE_END", messageId }];
      return [
        { type: "REASONING_MESSAGE_END", messageId },
        { type: "REASONING_END", messageId },
      ];
    });
    return step.type === "void" ? ends : [...ends, ...step.blocks.flatMap(citationEvents)];
  };
  return {
    events,
    spokenBy: (role) => {
      name = role === undefined ? {} : { name: role };
    },
    isOpen: (block) => open.has(messageOf(block)),
    open: () => [...open.values()].map((message) => ({ ...message })),
  };
}

/**
 * Returns the id of the message that a block belongs to. All text of an answer is one message, and each block
 * of thinking is one. Ids of void messages are reused: a snapshot has removed or emptied these messages.
 */
function messageOf({ key, kind }: Pick<Told, "key" | "kind">): string {
  if (kind === "text") return answerId(key.slice(0, key.indexOf(":")));
  return thoughtId(key.replace("'", ""));
}

/** Returns the events of a part that is shown as an activity. */
export function activityEvents(part: ViewPart): AgUiEvent[] {
  return activitiesOf(part).map(({ id: messageId, activityType, content }) => ({
    type: "ACTIVITY_SNAPSHOT",
    messageId,
    activityType,
    content,
  }));
}

/** Returns the event that sets the run's output in the client's state, and nothing else of that state. */
export function outputEvent(value: Json): AgUiEvent {
  return { type: "STATE_DELTA", delta: [{ op: "add", path: "/output", value }] };
}

function citationEvents({ key, kind, text, citations }: Told): AgUiEvent[] {
  if (kind !== "text" || citations === undefined) return [];
  return activityEvents({
    type: "text",
    key: key.replace("'", ""),
    text,
    open: false,
    citations: [...citations],
  });
}

export function callEvents(step: Exclude<Step, BlockStep | { type: "turn" }>): AgUiEvent[] {
  switch (step.type) {
    case "call": {
      const { call_id: toolCallId, tool_name: toolCallName, arguments: input } = step.event.data;
      return [
        { type: "TOOL_CALL_START", toolCallId, toolCallName, parentMessageId: answerId(step.attempt) },
        { type: "TOOL_CALL_ARGS", toolCallId, delta: JSON.stringify(input) },
        { type: "TOOL_CALL_END", toolCallId },
      ];
    }
    case "output":
      return [outputEvent(step.value ?? null)];
    // A call is sent once, with the input that the model wrote.
    case "edited": {
      const { callId: toolCallId, toolName, input } = step;
      return [{ type: "CUSTOM", name: "tool_input", value: { toolCallId, toolName, input } }];
    }
    case "started":
      return statusEvent(step.event);
    case "outcome":
      return activityEvents(step.part);
    case "transient":
      return [{ type: "CUSTOM", name: step.part.type, value: step.part.data }];
    case "progress": {
      const { callId: toolCallId, toolName, data } = step;
      return [{ type: "CUSTOM", name: "tool_progress", value: { toolCallId, toolName, data } }];
    }
    case "result": {
      const { call_id, result } = step.event.data;
      return [resultEvent(call_id, result), ...skippedEvent(step.event), ...statusEvent(step.event)];
    }
    default:
      return [];
  }
}

/** Returns the event with a call's result. */
function resultEvent(toolCallId: string, result: Json): AgUiEvent {
  const messageId = resultId(toolCallId);
  return { type: "TOOL_CALL_RESULT", messageId, toolCallId, content: contentOf(result), role: "tool" };
}

/** Returns why a call was answered without being run, as a custom event: a result has no such field. */
function skippedEvent({ data }: StoredOf<"tool_result">): AgUiEvent[] {
  const { call_id: toolCallId, tool_name: toolName, skipped: reason } = data;
  if (reason === undefined) return [];
  return [{ type: "CUSTOM", name: "tool_skipped", value: { toolCallId, toolName, reason } }];
}

/** Returns the status text that a tool shows when the tool starts or ends, as a custom event. */
function statusEvent(event: StoredOf<"tool_started" | "tool_result">): AgUiEvent[] {
  const { call_id: toolCallId, tool_name: toolName, status: message } = event.data;
  if (message === undefined) return [];
  const value = { toolCallId, toolName, phase: statusPhase(event), message };
  return [{ type: "CUSTOM", name: "tool_status", value }];
}
