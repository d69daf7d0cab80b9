import { dependentCalls } from "../hooks/dependent-calls.ts";
import { duplicateGuard } from "../hooks/duplicate-guard.ts";
import { failureBudget } from "../hooks/failure-budget.ts";
import type { Hook } from "../hooks/hook.ts";
import { unlimited } from "../log/budget.ts";
import { estimateTokens as byCharacters } from "../model/estimate.ts";
import { stopOnFailedTurns } from "../stop/stop-on-failed-turns.ts";
import type { Tool } from "../tools/tool.ts";
import { type Agent, type AgentOptions, defaultLimits } from "./agent.ts";
import type { OutputOfTools } from "./agent-types.ts";
import { checkAgent, checkCounts, estimateOf } from "./check-agent.ts";
import { checkAgentOptions } from "./check-agent-options.ts";

/**
 * Defines an agent: a model, its instructions, tools, hooks and limits. To run the agent, pass it to
 * `runtime()`.
 *
 * @throws PawlError `config` if an option is unknown or has an invalid value, e.g. a limit of 0; if the
 * instructions are empty; if two tools or two hooks have the same name; if tools depend on each other in a
 * circle; if a model has no prices, and the cost is limited or a hook counts it; or if the agent is
 * `toolOnly`, no tool has `endsRun`, and `stopWhen` is empty.
 *
 * @example
 * ```ts
 * import { agent, tool } from "@pawl/core";
 * import { scriptedModel } from "@pawl/testing";
 * import * as z from "zod";
 *
 * const weather = tool({
 *   name: "weather",
 *   description: "Returns the weather in a city.",
 *   input: z.object({ city: z.string() }),
 *   execute: ({ city }) => `It is 12 °C in ${city}.`,
 * });
 * const guide = agent({
 *   name: "guide",
 *   model: scriptedModel([{ text: "Take a jacket." }]), // in an app e.g. claude("claude-sonnet-5-5")
 *   instructions: "You help people plan their day.",
 *   tools: [weather],
 *   limits: { turns: 5, wallClockMs: 60_000 },
 * });
 * console.log(guide.limits.turns, guide.limits.toolCalls); // 5 100
 *
 * // Tools for one caller: the roles that the application gives to `run()`.
 * const forMembers = agent({
 *   name: "members",
 *   model: scriptedModel([{ text: "Hello." }]),
 *   instructions: "You help members.",
 *   tools: ({ caller }) => (caller.role === "member" ? [weather] : []),
 * });
 * console.log(forMembers.tools.size); // 0: they are known in a run
 * ```
 */
// The second part repeats fields of the first. If a required option is missing and another is unknown, e.g.
// `system` for `instructions`, the compiler infers nothing from the first part, and would report the deps of
// the tools in place of the mistake.
export function agent<
  Deps = unknown,
  const Name extends string = string,
  Tools extends Tool<never> = Tool<Deps>,
  Output = OutputOfTools<Tools>,
>(
  options: AgentOptions<Deps, Name, Tools> & Pick<AgentOptions<Deps, string, Tools>, "tools" | "hooks">,
): Agent<Deps, Name, Output, Tools> {
  checkAgentOptions(options);
  const {
    name,
    version = "1",
    model,
    instructions,
    tools: given = [],
    toolsTimeoutMs = 5_000,
    hooks = [],
    stopWhen = [],
    limits = {},
    sessionLimits = {},
    onLimit = "stop",
    stopMessages = {},
    estimateTokens = byCharacters,
    maxTokens = 4096,
    toolOnly = false,
    toolConcurrency = 8,
    resultLimit = 100_000,
    resultTag,
    userData,
    userDataPer = "turn",
    userDataTimeoutMs = 5_000,
    checkpointWhen = [],
    whenBusy,
  } = options;
  const tools = typeof given === "function" ? [] : given;
  const made: Agent<Deps, Name, Output, Tools> = {
    name,
    version,
    model,
    instructions,
    tools: new Map(tools.map((tool) => [tool.name, tool])),
    ...(typeof given === "function" && { toolsFor: given }),
    toolsTimeoutMs,
    hooks: [],
    stopWhen: [],
    limits: { ...defaultLimits, ...limits },
    sessionLimits: { ...unlimited, ...sessionLimits },
    onLimit,
    stopMessages,
    estimateTokens: (chars) => estimateOf(name, estimateTokens(chars)),
    maxTokens,
    toolOnly,
    toolConcurrency,
    resultLimit,
    userDataPer,
    userDataTimeoutMs,
    checkpointWhen,
    ...(whenBusy !== undefined && { whenBusy }),
    ...(resultTag !== undefined && { resultTag }),
    ...(userData && { userData }),
  };
  checkCounts(made);
  const { errorTurns, toolFailures } = made.limits;
  const guards = [dependentCalls(), failureBudget(toolFailures), duplicateGuard()];
  const whole: Agent<Deps, Name, Output, Tools> = {
    ...made,
    hooks: [...guards, ...(hooks as readonly Hook[])],
    stopWhen: [stopOnFailedTurns(errorTurns), ...stopWhen],
  };
  checkAgent(whole, tools);
  return whole;
}
