import type { Instead } from "../base/hints.ts";
import { dependentCalls, duplicateGuard, failureBudget } from "../hooks/guards.ts";
import type { Hook } from "../hooks/hook.ts";
import { unlimited } from "../log/budget.ts";
import { estimateTokens as byCharacters } from "../model/estimate.ts";
import { stopOnFailedTurns } from "../stop/stop-on-failed-turns.ts";
import type { Tool } from "../tools/tool.ts";
import { type Agent, type AgentOptions, defaultLimits } from "./agent.ts";
import { agentOutput } from "./agent-output.ts";
import type { OutputBy, WithRoles } from "./agent-types.ts";
import { checkAgent, checkLimits, estimateOf } from "./check-agent.ts";
import { checkAgentOptions } from "./check-agent-options.ts";
import { rolesHooks, toolsIn } from "./roles.ts";

/**
 * Defines an agent: a model, its instructions, tools, hooks and limits. To run the agent, pass it to
 * `runtime()`.
 *
 * @throws PawlError `config` if an option is unknown or has an invalid value, e.g. a limit of 0, and if:
 *
 * - the instructions are empty
 * - two tools or two hooks have the same name, or tools depend on each other in a circle
 * - a model has no prices, and the cost is limited or a hook counts it
 * - the schema `output` cannot be used, or a tool has `endsRun` beside it
 * - the agent is `toolOnly` and its runs could not end
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
 *
 * // Every run ends with an object of this shape, as `result.output`, or says why it does not.
 * const reporter = agent({
 *   name: "reporter",
 *   model: scriptedModel([{ output: { city: "Oslo", celsius: 12 } }]),
 *   instructions: "You report the weather.",
 *   output: z.object({ city: z.string(), celsius: z.number() }),
 * });
 * console.log(reporter.onLimit); // land
 * ```
 */
// The type of `options` is an intersection. Its second type repeats two fields of the first, for clear errors
// of the compiler: if a required option is missing and another is unknown, e.g. `system` for `instructions`,
// the compiler infers nothing from the first type. Alone, it would complain about the tools' `Deps`.
export function agent<
  Deps = unknown,
  const Name extends string = string,
  Tools extends Tool<never> = Tool<Deps>,
  S = unknown,
  R = unknown,
  Output = OutputBy<S, WithRoles<Tools, R>>,
>(
  options: AgentOptions<Deps, Name, Tools, S> &
    Pick<AgentOptions<Deps, string, Tools>, "tools" | "hooks"> & { roles?: R } & Instead<"agent">,
): Agent<Deps, Name, Output, WithRoles<Tools, R>> {
  checkAgentOptions(options);
  const {
    name,
    version = "1",
    model,
    instructions,
    toolsTimeoutMs = 5_000,
    hooks = [],
    stopWhen = [],
    limits = {},
    sessionLimits = {},
    output,
    onLimit = output === undefined ? "stop" : "land",
    stopMessages = {},
    estimateTokens = byCharacters,
    maxTokens = 4096,
    toolOnly = false,
    toolConcurrency = 8,
    resultTag,
    userData,
    checkpointWhen = [],
    whenBusy,
  } = options;
  const { tools, toolsFor } = toolsIn<Deps>(options);
  const withoutHooks: Agent<Deps, Name, Output, WithRoles<Tools, R>> = {
    name,
    version,
    model,
    instructions,
    tools: new Map(tools.map((tool) => [tool.name, tool])),
    ...(toolsFor && { toolsFor }),
    toolsTimeoutMs,
    hooks: [],
    stopWhen: [],
    limits: { ...defaultLimits, ...limits },
    sessionLimits: { ...unlimited, ...sessionLimits },
    onLimit,
    stopMessages,
    estimateTokens: checkedEstimate(name, estimateTokens),
    maxTokens,
    toolOnly,
    toolConcurrency,
    ...charLimits(options),
    checkpointWhen,
    ...(output !== undefined && { output: agentOutput(name, output, { model, toolOnly }) }),
    ...withValues({
      whenBusy,
      ...speakersIn(options),
      resultTag,
      userData: userData && { per: "turn", timeoutMs: 5_000, ...withValues(userData) },
      clientTools: options.clientTools,
    }),
  };
  // The guards and the stop condition below use the limits.
  checkLimits(withoutHooks);
  const { errorTurns, toolFailures } = withoutHooks.limits;
  const guards = [dependentCalls(), failureBudget(toolFailures), duplicateGuard()];
  const complete: Agent<Deps, Name, Output, WithRoles<Tools, R>> = {
    ...withoutHooks,
    hooks: [...guards, ...rolesHooks(options.roles, options.handOverTo), ...(hooks as readonly Hook[])],
    stopWhen: [stopOnFailedTurns(errorTurns), ...stopWhen],
  };
  checkAgent(complete, tools);
  return complete;
}

type CharLimits = Pick<AgentOptions<never>, "resultLimit" | "storedResultLimit" | "toolsLimit">;

/** Returns an agent's limits in characters, with their defaults. */
function charLimits({
  resultLimit = 100_000,
  storedResultLimit = 1_000_000,
  toolsLimit = 400_000,
}: CharLimits) {
  return { resultLimit, storedResultLimit, toolsLimit };
}

/** Returns the roles and agents between which the conversation is handed over. */
function speakersIn({ roles, handOverTo }: { roles?: unknown; handOverTo?: Agent["handOverTo"] }) {
  return { roles: roles as Agent["roles"], handOverTo };
}

/** Returns the fields that are not `undefined`. */
function withValues<T extends object>(fields: T): { [name in keyof T]: Exclude<T[name], undefined> } {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as ReturnType<typeof withValues<T>>;
}

/** Returns the agent's estimate with checks. The default stays as it is: `estimatedPrompt()` looks for it. */
function checkedEstimate(name: string, estimate: (chars: number) => number): (chars: number) => number {
  return estimate === byCharacters ? estimate : (chars) => estimateOf(name, estimate(chars));
}
