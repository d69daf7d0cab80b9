import type { CallState } from "./state.ts";

/** The keys of what may happen only once in a session. */
export const eventKey = {
  result: (call: CallState): string => `result:${call.assistantSeq}:${call.callId}`,
  answer: (call: CallState): string => `answer:${call.assistantSeq}:${call.callId}`,
  message: (clientMessageId: string): string => `message:${clientMessageId}`,
  end: (runId: string): string => `end:${runId}`,
};
