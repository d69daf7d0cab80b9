import type { Json, Question, StoredOf } from "@pawl/core";
import { runMessageId, type ToolPart, type ViewState } from "@pawl/core/view";
import { isApproval, isFailedCall, statusPhase } from "../base/answers.ts";
import type { BlockStep } from "../base/blocks.ts";
import type { EncoderContext } from "../base/dialect.ts";
import { questionId } from "../base/question-id.ts";
import type { Step, Telling } from "../base/telling.ts";
import type { Chunk } from "./ai-sdk-chunks.ts";
import { outputPart } from "./ai-sdk-messages.ts";
import { callMark, errorTextOf, outcomeOf, shownInput } from "./ai-sdk-tool-part.ts";

type CallStep = Exclude<Step, BlockStep | { type: "turn" }>;

interface Made {
  toolName: string;
  input: Json;
}

/**
 * Returns an encoder for tool calls. A call is announced once it is stored. Its input follows when the call
 * starts, asks or ends.
 */
// The input waits because pages run a call as soon as they have its input. Only then is it known whether the
// page has to run the call.
export function callChunks(
  { before, isAnswered }: EncoderContext,
  { goesOn, call: partOf }: Pick<Telling, "goesOn" | "call">,
): (step: CallStep) => Chunk[] {
  const made = goesOn ? callsBefore(before) : new Map<string, Made>();
  const told = new Set(made.keys());
  /** Ids of calls that are sent again when they start or end: their own input, or the decision, is new. */
  const asked = new Set<string>();
  if (goesOn) for (const question of before.pending) noteShown(question);
  function noteShown(question: Question): Json {
    const { input = {} } = made.get(question.callId) ?? {};
    const shown = shownInput(question, input);
    const isNew = isApproval(question) || JSON.stringify(shown) !== JSON.stringify(input);
    asked[isNew ? "add" : "delete"](question.callId);
    return shown;
  }
  const tell = (callId: string): Chunk[] => {
    const call = made.get(callId);
    if (call === undefined || (told.has(callId) && !asked.has(callId))) return [];
    told.add(callId);
    asked.delete(callId);
    return [{ ...callChunk(callId, call, partOf(callId)), providerExecuted: true }];
  };
  const ask = (question: Question): Chunk[] => {
    const { callId: toolCallId, toolName, seq } = question;
    const isOurs = isApproval(question);
    if (!isOurs) made.set(toolCallId, { input: {}, ...made.get(toolCallId), toolName });
    // Do not repeat an answered question: the page would act on the call once more. The call itself is sent
    // with its result.
    if (isAnswered(question)) {
      asked.add(toolCallId);
      return [];
    }
    const shown = callChunk(toolCallId, { toolName, input: noteShown(question) }, partOf(toolCallId));
    const call = { ...shown, providerExecuted: isOurs };
    told.add(toolCallId);
    if (!isOurs) return [call];
    // The call brings what to show of the approval: early versions refuse unknown fields of a request.
    return [call, { type: "tool-approval-request", toolCallId, approvalId: questionId(seq) }];
  };
  return (step) => {
    switch (step.type) {
      case "call": {
        const { call_id: toolCallId, tool_name: toolName, arguments: input } = step.event.data;
        made.set(toolCallId, { toolName, input });
        return [{ type: "tool-input-start", toolCallId, toolName }];
      }
      case "edited":
        // Sent when the call starts or asks: pages run a call as soon as they have its input.
        made.set(step.callId, step);
        asked.add(step.callId);
        return [];
      case "started":
        return [...tell(step.event.data.call_id), ...statusChunk(step.event)];
      case "progress": {
        const { callId, toolName, data } = step;
        return [{ type: "data-tool-progress", data: { callId, toolName, data }, transient: true }];
      }
      case "output":
        return [outputPart(step.value ?? null, step.final)];
      case "asked":
        return ask(step.question);
      case "result": {
        const { call_id } = step.event.data;
        if (!told.has(call_id) && !made.has(call_id)) return [];
        const part = partOf(call_id);
        const chunk = resultChunk(step.event, part && outcomeOf(part));
        return [...tell(call_id), chunk, ...statusChunk(step.event)];
      }
      default:
        return [];
    }
  };
}

function callChunk(toolCallId: string, { toolName, input }: Made, part: ToolPart | undefined): Chunk {
  const { callProviderMetadata } = part === undefined ? {} : callMark(part);
  const mark = callProviderMetadata && { providerMetadata: callProviderMetadata };
  return { type: "tool-input-available", toolCallId, toolName, input, ...mark };
}

/** Returns the calls of the message that the run has written before the stream, by call id. */
function callsBefore({ messages, run }: ViewState): Map<string, Made> {
  const message = messages.find(({ id }) => id === runMessageId(run));
  const calls = message?.parts.filter((part) => part.type === "tool") ?? [];
  return new Map(
    calls.map(({ callId, toolName, arguments: written, input = written }) => [callId, { toolName, input }]),
  );
}

function resultChunk({ data }: StoredOf<"tool_result">, outcome: ReturnType<typeof outcomeOf>): Chunk {
  const call = { toolCallId: data.call_id };
  if (outcome === "denied") return { type: "tool-output-denied", ...call };
  if (outcome === undefined && !isFailedCall(data)) {
    return { type: "tool-output-available", ...call, output: data.result, providerExecuted: true };
  }
  const errorText = outcome?.error ?? errorTextOf(data.result);
  return { type: "tool-output-error", ...call, errorText, providerExecuted: true };
}

/** Returns a tool's status text as a transient chunk, which pages do not keep in the message. */
function statusChunk(event: StoredOf<"tool_started" | "tool_result">): Chunk[] {
  const { call_id: callId, tool_name: toolName, status } = event.data;
  if (status === undefined) return [];
  const data = { callId, toolName, phase: statusPhase(event), message: status };
  return [{ type: "data-tool-status", data, transient: true }];
}
