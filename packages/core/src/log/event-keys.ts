/** The fields of a call from which its keys are built. */
interface NamedCall {
  /** `seq` of the assistant message that made the call. */
  assistantSeq: number;
  callId: string;
  /** How many questions the call has asked so far. */
  questions: number;
}

/** Builds the keys of events that may happen only once in a session. */
export const eventKey = {
  result: (call: NamedCall): string => `result:${call.assistantSeq}:${call.callId}`,
  asked: (call: NamedCall): string =>
    `asked:${call.assistantSeq}:${call.callId}${questionSuffix(call.questions)}`,
  /**
   * Key of a call's wait for a time. It does not begin with `asked:`, because the database function by which
   * users answer questions looks for that.
   */
  waits: (call: NamedCall): string =>
    `waits:${call.assistantSeq}:${call.callId}${questionSuffix(call.questions)}`,
  /** Key of the answer to the call's last question. */
  answer: (call: NamedCall): string =>
    `answer:${call.assistantSeq}:${call.callId}${questionSuffix(call.questions - 1)}`,
  message: (clientMessageId: string): string => `message:${clientMessageId}`,
  /** Key of the start of a task, see `context.runAgent`. */
  task: (taskId: string): string => `task:${taskId}`,
  /** Key of what a task has used until the event `seq` of its session. */
  taskCharge: (taskId: string, seq: number): string => `task:${taskId}:${seq}`,
  /** Key of the note with which hooks have a run go on after a turn. */
  continues: (runId: string, turn: number): string => `continues:${runId}:${turn}`,
  /** Key of the note that asks a model for a call in a turn. */
  wanted: (runId: string, turn: number, tool: string): string => `wanted:${runId}:${turn}:${tool}`,
  landing: (runId: string): string => `landing:${runId}`,
  effect: (runId: string, name: string): string => `effect:${runId}:${name}`,
  end: (runId: string): string => `end:${runId}`,
  /** Key of the request to stop a run. */
  stop: (runId: string): string => `stop:${runId}`,
  /** Key of the `run_started` event that retries the run `runId`. */
  retry: (runId: string): string => `retry:${runId}`,
  /** Key of a model's answer to a hook or a tool. `scope` is the hook's name, or names the call. */
  ask: (runId: string, scope: string, key: string): string => `ask:${runId}:${scope}:${key}`,
};

const RESERVED =
  /^(result|asked|waits|answer|artifact|message|task|continues|wanted|landing|effect|end|stop|retry|ask):/;

/** Returns whether a key is reserved for Pawl's own events, which decide how a session continues. */
export function isReserved(key: string | undefined): boolean {
  return key !== undefined && RESERVED.test(key);
}

/** Returns the end of a question's key: empty for the first question of a call, `:1` for its second. */
function questionSuffix(earlier: number): string {
  return earlier === 0 ? "" : `:${earlier}`;
}
