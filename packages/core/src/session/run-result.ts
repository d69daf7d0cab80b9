import type { Json } from "../base/json.ts";
import type { SkipReason } from "../log/event-parts.ts";
import type { StopReason } from "../log/stop-reason.ts";
import type { Usage } from "../model/pricing.ts";
import type { Asking, QuestionRecord } from "./asking.ts";
import { questionsOf } from "./queued.ts";
import type { CallState, RunState, SessionState } from "./state.ts";

/**
 * Returns the result of the session's last run, derived from the log. `stop` is why the run is about to end;
 * it counts only if the log does not have the end yet.
 */
export function resultOf(state: SessionState, stop?: StopReason): RunResult {
  const run = state.run as RunState;
  const stopReason = run.ended ?? stop;
  const output = outputOf(run, stopReason);
  return {
    sessionId: state.sessionId,
    runId: run.runId,
    stop: stopOf(run, stopReason),
    text: run.texts.join("\n\n"),
    ...(output !== undefined && { output }),
    actions: run.calls.map(actionOf),
    turns: run.turns,
    usage: run.usage,
    costUsd: run.costUsd,
    pending: questionsOf(run).map(questionOf),
  };
}

function stopOf({ cause }: RunState, stopReason: StopReason | undefined): RunResult["stop"] {
  if (stopReason === undefined) return { type: "suspended", message: "Waiting for an answer." };
  return cause === undefined ? stopReason : { ...stopReason, cause };
}

/**
 * Returns the output that the model gave, or else the result of the tool that ended the run. If several tools
 * ended it in one turn, returns the first one's result.
 */
function outputOf({ turn }: RunState, stopReason: StopReason | undefined): Json | undefined {
  if (turn?.output !== undefined) return turn.output.value;
  if (stopReason?.type !== "terminal_tool") return undefined;
  return turn?.calls.find(({ result }) => result?.data.ends_run === true)?.result?.data.result;
}

function actionOf(call: CallState): Action {
  const input = toldInput(call);
  const action: Action = { tool: call.toolName, args: call.arguments, ...(input !== undefined && { input }) };
  if (call.result === undefined) return action;
  const { result, success, skipped } = call.result.data;
  return skipped === undefined
    ? { ...action, result, success }
    : { ...action, result, success: false, skipped };
}

/**
 * Returns the input with which a call ran, or with which its tool asked, if a hook has changed it and did not
 * hide it.
 */
function toldInput({ started, question }: CallState): Json | undefined {
  const { input, inputFor = "nobody" } = started ?? ((question?.by === undefined && question) || {});
  return inputFor === "nobody" ? undefined : input;
}

/** Returns the question that a call or hook asks. */
function questionOf({ callId, toolName, question }: Asking): Question {
  const { kind, payload, answerSchema, seq, expires, clientTool, changed } = question as QuestionRecord;
  const more = {
    ...(expires && { expires }),
    ...(clientTool !== undefined && { clientTool }),
    ...(changed && { changed }),
  };
  return { callId, toolName, kind, payload, answerSchema, seq, ...more };
}

/** A tool call of a run and its result. */
export interface Action {
  /** The tool's name. */
  tool: string;
  /** The call's input as the model wrote it. */
  args: Json;
  /** The input with which the tool ran, if a hook has changed it and did not hide it (`shown: false`). */
  input?: Json;
  /** Absent while the call waits for an answer. */
  result?: Json;
  /** Whether the tool ran and succeeded. Absent while the call waits for an answer. */
  success?: boolean;
  /** Why the call was answered without being run, e.g. `duplicate`. Absent for any other call. */
  skipped?: SkipReason;
}

/** The outcome of a run that has ended or waits for an answer. `Output` is the type of its `output`. */
export interface RunResult<Output = Json> {
  /** Id of the session. Pass it to `runtime.run()` to continue the conversation. */
  sessionId: string;
  /** Id of the run. */
  runId: string;
  /**
   * Why the run stopped. `suspended` means that it waits for an answer. `message` is for the user. `cause` is
   * for developers: what failed, as plain text without secrets. It is present if the run failed with a logged
   * error, and is never sent to clients.
   */
  stop: StopReason & { cause?: string };
  /** All text of the run, with a blank line between turns. */
  text: string;
  /**
   * The run's structured output. It is typed if `run()` gets the agent itself instead of its name.
   *
   * - For an agent with an `output`: the value that matches the schema, after its transforms, as JSON. Absent
   *   if the run gave none; `stop` then has the reason. A run that was ended by a limit may still have one.
   * - For a tool with `endsRun` that ended the run: the return value of its `execute`, as JSON. `stop.type`
   *   is then `terminal_tool`. This value is not validated: a hook may have changed it, or an earlier version
   *   of the tool may have made it.
   */
  output?: Output;
  /** All tool calls of the run, in order. */
  actions: Action[];
  /** The number of the model's answers. */
  turns: number;
  /** Total tokens of the run. */
  usage: Usage;
  /** Cost of the run in US dollars; 0 if the model has no prices. */
  costUsd: number;
  /** The questions that wait for an answer. */
  pending: Question[];
}

/** A question that waits for the user's answer. */
export interface Question extends Omit<QuestionRecord, "by" | "input" | "inputFor" | "child" | "hidden"> {
  /** Id of the call that asks, or of a hook's question about the run. An answer names it. */
  callId: string;
  /**
   * The name of the called tool: the tool that asks, or for an approval the tool to approve. For a hook's
   * question about the run, the name of the hook.
   */
  toolName: string;
}
