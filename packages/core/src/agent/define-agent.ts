import { dependentCalls } from "../hooks/dependent-calls.ts";
import { duplicateGuard } from "../hooks/duplicate-guard.ts";
import { failureBudget } from "../hooks/failure-budget.ts";
import type { Hook } from "../hooks/hook.ts";
import { unlimited } from "../log/budget.ts";
import { estimateTokens as byCharacters } from "../model/estimate.ts";
import { stopOnFailedTurns } from "../stop/stop-on-failed-turns.ts";
import { type Agent, type AgentOptions, defaultLimits } from "./agent.ts";
import { checkAgent, estimateOf } from "./check-agent.ts";

/**
 * Puts an agent together.
 *
 * @throws PawlError `config` for two tools or hooks of one name, tools that wait for each other, `toolOnly`
 * without a tool that has `endsRun` (or a condition in `stopWhen`), empty instructions, an unknown option or
 * `whenBusy`, limits that are no positive numbers, prices or an `estimateTokens` that are no numbers from 0,
 * or a limit on cost for a model without prices.
 */
export function agent<Deps = unknown>({
  name,
  version = "1",
  model,
  instructions,
  tools = [],
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
  userData,
  userDataTimeoutMs = 5_000,
  checkpointWhen = [],
  whenBusy,
  ...unknown
}: AgentOptions<Deps>): Agent<Deps> {
  const made: Agent<Deps> = {
    name,
    version,
    model,
    instructions,
    tools: new Map(tools.map((tool) => [tool.name, tool])),
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
    userDataTimeoutMs,
    checkpointWhen,
    ...(whenBusy !== undefined && { whenBusy }),
    ...(userData && { userData }),
  };
  const { errorTurns, toolFailures } = made.limits;
  const guards = [dependentCalls(), failureBudget(toolFailures), duplicateGuard()];
  const whole: Agent<Deps> = {
    ...made,
    hooks: [...guards, ...(hooks as readonly Hook[])],
    stopWhen: [stopOnFailedTurns(errorTurns), ...stopWhen],
  };
  checkAgent(whole, tools, Object.keys(unknown));
  return whole;
}
