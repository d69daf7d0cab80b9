import type { Budget } from "../log/budget.ts";
import type { StopReason } from "../log/stop-reason.ts";
import type { ModelClient } from "../model/model-client.ts";
import type { Usage } from "../model/pricing.ts";

/** An agent that can be given a task: one that `agent()` has made. `Output` is the type of its output. */
export interface RunnableAgent<Output = unknown> {
  /** The agent's name. */
  readonly name: string;
  /** The type of its output. Only the compiler knows this field: it has no value. */
  readonly "~types"?: { output: Output };
}

/** Options of `context.runAgent()`. */
export interface RunAgentOptions {
  /**
   * The key of the task, 1 to 200 characters. The same key in the same tool call, or in the same hook and
   * run, is the same task: it runs once, and its result is returned again, also after a crash.
   */
  key: string;
  /**
   * Limits of the task that override the agent's own. A task never gets more than the rest of the run's
   * budget, which tasks that start at the same time share.
   */
  limits?: Partial<Budget>;
  /**
   * What clients of the tool's session see of the agent's work with the tool's call, see `agentTool()`. Its
   * artifacts are shown in any case. Has no effect in hooks. Default: nothing else.
   */
  shows?: "text" | "all";
}

/** The outcome of a task that an agent has worked on: the result of its run. */
export interface TaskResult<Output = unknown> {
  /** Id of the task's own session. */
  sessionId: string;
  /** Why the agent's run has ended: `end_turn` or `terminal_tool` if it is done. */
  stop: StopReason;
  /** All text of the run, with a blank line between turns. */
  text: string;
  /** The agent's output, see `AgentOptions.output`. Absent if the run gave none; `stop` has the reason. */
  output?: Output;
  /** The number of the model's answers. */
  turns: number;
  /** Total tokens of the run. */
  usage: Usage;
  /** Cost of the run in US dollars. */
  costUsd: number;
}

/** The method `runAgent` of a context: runs an agent on a task, which `input` describes. */
export type RunAgent = <Output = unknown>(
  agent: RunnableAgent<Output>,
  input: string,
  options: RunAgentOptions,
) => Promise<TaskResult<Output>>;

/** The agent that works on one call of a tool made by `agentTool()`. */
export interface TaskAgent {
  readonly name: string;
  /** All limits of one task: the agent's own, overridden by those of the tool. */
  readonly budget: Budget;
  /** All models that a task may call, including those of the agent's own sub-agents. */
  readonly models: readonly ModelClient[];
  /**
   * The number of levels of agents that a task adds: 1 for an agent without sub-agents. Sub-agents that only
   * a call's input decides count as one level.
   */
  readonly depth: number;
}
