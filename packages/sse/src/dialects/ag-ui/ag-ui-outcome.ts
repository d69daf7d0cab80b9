import { canBeRetried, type Question, type TokenUsage } from "@pawl/core";
import { isApproval } from "../base/answers.ts";
import type { Telling } from "../base/telling.ts";
import { isFrontendCall } from "./ag-ui-frontend-tools.ts";
import { interrupt } from "./ag-ui-interrupt.ts";
import { isShown, noticeId, outputOf } from "./ag-ui-messages.ts";

/** An event in AG-UI's format. */
export type AgUiEvent = { readonly type: string; readonly [field: string]: unknown };

/** Facts about the client of a stream. */
export interface AgUiClient {
  /** The ids of the thread and the run, as they are sent to the client. */
  run: { threadId: string; runId: string };
  /** Whether the client has declared AG-UI 1.0 or later. */
  isOne: boolean;
  /** Names of the client's frontend tools. */
  tools: readonly string[];
  /**
   * Whether the client has cancelled questions that were closed before. Its stream ends with RUN_FINISHED,
   * also if the run has failed before: only then do clients drop their interrupts.
   */
  drops?: boolean;
  /** Returns the id of the sub-agent that works on a call, if one does. */
  subAgentOf?(callId: string): string | undefined;
}

/** Says that a message which was sent again has its answer. */
// No RUN_ERROR: a client that has lost the response sends the same thread as one that wants another answer.
export const ANSWERED: AgUiEvent = {
  type: "CUSTOM",
  name: "already_answered",
  value: {
    message:
      "This message has been answered, and its answer is shown again. To get another answer, send a new message.",
  },
};

/**
 * Returns the last events of a settled run. The outcome comes last. If the user needs a message about the
 * run's end, it comes first. With `isKnown` it is left out, because the client has it.
 */
export function lastEvents(
  { rest, view }: Pick<Telling, "rest" | "view">,
  client: AgUiClient,
  isKnown: boolean,
): AgUiEvent[] {
  const { run, isOne, drops = false } = client;
  const finished = { type: "RUN_FINISHED", ...run };
  const success = { ...finished, ...(isOne && { outcome: { type: "success" } }) };
  if (rest === undefined) return [success];
  if (rest.type === "suspended") return [asking(rest.pending, client)];
  const { run_id, stop, session_status, tokens } = rest.event.data;
  const usage = usageOf(tokens);
  if (session_status === "error" && !drops)
    return [{ type: "RUN_ERROR", message: stop.message, code: stop.type, usage }];
  // Only 1.0 knows this outcome: a run that ended before its answer was complete, and did not fail.
  const ended = isOne && canBeRetried({ stop }) ? { ...finished, outcome: { type: "cancelled" } } : success;
  // AG-UI has no field for the stop reason. `result` is the run's output.
  const reason = { metadata: { pawl: { stop: stop.type } } };
  const output = outputOf(view);
  const result = output !== undefined && { result: output };
  const words = isShown(stop.type) && !isKnown ? notice(run_id, stop.message) : [];
  return [...words, { ...ended, ...result, ...reason, usage }];
}

/**
 * Returns the last event of a run that waits for answers. It lists the questions as interrupts. Leaves out
 * the calls of frontend tools, and questions of a tool whose name a frontend tool has: with an interrupt, the
 * client would refuse to send that tool's result.
 */
function asking(
  pending: readonly Question[],
  { run, isOne, tools, subAgentOf = () => undefined }: AgUiClient,
): AgUiEvent {
  const isOwn = (question: Question) =>
    isFrontendCall(question) || (!isApproval(question) && tools.includes(question.toolName));
  const own = pending.filter(isOwn);
  const others = pending.filter((question) => !own.includes(question));
  const finished = { type: "RUN_FINISHED", ...run };
  if (others.length > 0) {
    const interrupts = others.map((question) => interrupt(question, isOne, subAgentOf(question.callId)));
    return { ...finished, outcome: { type: "interrupt", interrupts } };
  }
  const pendingToolCallIds = own.map(({ callId }) => callId);
  return { ...finished, ...(isOne && { outcome: { type: "success", pendingToolCallIds } }) };
}

/** Returns a message that explains to the user why the run ended. */
function notice(runId: string, delta: string): AgUiEvent[] {
  const messageId = noticeId(runId);
  return [
    { type: "TEXT_MESSAGE_START", messageId, role: "assistant" },
    { type: "TEXT_MESSAGE_CONTENT", messageId, delta },
    { type: "TEXT_MESSAGE_END", messageId },
  ];
}

/**
 * Converts usage to AG-UI's format. Input and output are totals there; cached tokens are part of the input.
 */
function usageOf({ prompt, completion, cached, cache_write, total }: TokenUsage): object[] {
  return [
    {
      inputTokens: prompt + cached + cache_write,
      outputTokens: completion,
      totalTokens: total,
      cachedInputTokens: cached,
      cacheWriteInputTokens: cache_write,
    },
  ];
}
