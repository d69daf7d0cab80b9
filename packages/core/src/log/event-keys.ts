/** A call, as far as its keys name it. */
interface NamedCall {
  /** `seq` of the answer that makes it. */
  assistantSeq: number;
  callId: string;
  /** How many questions it has asked. */
  questions: number;
}

/** The keys of what may happen only once in a session. */
export const eventKey = {
  result: (call: NamedCall): string => `result:${call.assistantSeq}:${call.callId}`,
  asked: (call: NamedCall): string => `asked:${call.assistantSeq}:${call.callId}${nth(call.questions)}`,
  /** To the call's last question. */
  answer: (call: NamedCall): string => `answer:${call.assistantSeq}:${call.callId}${nth(call.questions - 1)}`,
  message: (clientMessageId: string): string => `message:${clientMessageId}`,
  landing: (runId: string): string => `landing:${runId}`,
  effect: (runId: string, name: string): string => `effect:${runId}:${name}`,
  end: (runId: string): string => `end:${runId}`,
  /** Key of the run that retries this one. */
  retry: (runId: string): string => `retry:${runId}`,
};

const RESERVED = /^(result|asked|answer|artifact|message|landing|effect|end|retry):/;

/** Whether a key is one of these: what stands under them decides how a session goes on. */
export function isReserved(key: string | undefined): boolean {
  return key !== undefined && RESERVED.test(key);
}

/** A call may ask more than once; its first question goes without a number. */
function nth(earlier: number): string {
  return earlier === 0 ? "" : `:${earlier}`;
}
