import { checkNumbers, wrongValueText } from "../base/check-numbers.ts";
import { MOST_TAGS } from "../context/own-tags.ts";
import { hookProblem } from "../hooks/check-hook.ts";
import { unlimited } from "../log/budget.ts";
import { checkModel } from "../model/check-model.ts";
import type { Agent } from "./agent.ts";
import { agentError, checkPrices, checkTools, refuseSameNames } from "./check-tools.ts";

/** The known limits. `errorTurns` and `toolFailures` exist only for runs. */
const KNOWN_LIMITS: Readonly<Record<"limits" | "sessionLimits", readonly string[]>> = {
  limits: [...Object.keys(unlimited), "errorTurns", "toolFailures"],
  sessionLimits: Object.keys(unlimited),
};

/**
 * Checks an agent, so that mistakes are found when the agent is defined. `tools` is the list from its
 * options. If a function returns the agent's tools, {@link checkTools} checks them once they are known.
 *
 * @throws PawlError `config`
 */
export function checkAgent<Deps>(agent: Agent<Deps>, tools: readonly { name: string }[]): void {
  const { name } = agent;
  checkModel(`\`model\` of agent("${name}")`, agent.model);
  checkRoles(agent);
  if (Object.hasOwn(agent.handOverTo ?? {}, name))
    throw agentError(name, "`handOverTo` must name other agents.");
  // Throws if the function does not return a number.
  agent.estimateTokens(1_000);
  if (agent.instructions.trim() === "") throw agentError(name, "it has no instructions.");
  refuseSameNames(name, "hooks", agent.hooks);
  for (const hook of agent.hooks) {
    // The function `tools` may leave out a tool that a hook names, so only a list of tools is checked.
    const problem = hookProblem(hook, agent.toolsFor === undefined ? agent.tools : undefined);
    if (problem !== undefined) throw agentError(name, problem);
  }
  checkHookTags(agent);
  if (agent.toolsFor === undefined) checkTools(agent, tools);
  else checkPrices(agent);
}

/** Refuses an empty list of roles, and hand-overs to roles that do not exist. */
function checkRoles<Deps>({ name, roles }: Agent<Deps>): void {
  if (roles === undefined) return;
  if (Object.keys(roles).length === 0) throw agentError(name, "`roles` must not be empty.");
  for (const [role, { model, to = [] }] of Object.entries(roles)) {
    if (model !== undefined) checkModel(`\`roles.${role}.model\` of agent("${name}")`, model);
    const unknown = to.find((target) => target === role || !Object.hasOwn(roles, target));
    if (unknown !== undefined)
      throw agentError(name, `\`roles.${role}.to\` must name other roles; got "${unknown}".`);
  }
}

/** Refuses hooks that declare the agent's `resultTag`, or too many tags. */
function checkHookTags<Deps>({ name, hooks, resultTag }: Agent<Deps>): void {
  for (const hook of hooks) {
    const tag = hook.tags?.find((one) => one.toLowerCase() === resultTag?.toLowerCase());
    if (tag !== undefined)
      throw agentError(name, `its hook "${hook.name}" has the tag "${tag}", which is the agent's resultTag.`);
  }
  const tags = new Set(hooks.flatMap((hook) => hook.tags ?? []).map((tag) => tag.toLowerCase()));
  if (tags.size > MOST_TAGS)
    throw agentError(name, `its hooks have ${tags.size} tags; at most ${MOST_TAGS} are possible.`);
}

/** Checks the limits of an agent. Must be called before the limits are used. @throws PawlError `config` */
export function checkLimits<Deps>(agent: Agent<Deps>): void {
  const { name } = agent;
  for (const group of ["limits", "sessionLimits"] as const) {
    for (const [limit, value] of Object.entries(agent[group])) {
      if (!KNOWN_LIMITS[group].includes(limit))
        throw agentError(name, `${group}.${limit} is not a limit; use ${KNOWN_LIMITS[group].join(", ")}.`);
      if (!(typeof value === "number" && value > 0)) {
        throw agentError(
          name,
          `${group}.${limit} must be a number above 0${wrongValueText(value)}. Infinity lifts the limit.`,
        );
      }
    }
  }
}

/** Rounds a result of `estimateTokens` up to whole tokens. Throws `config` if it is not a number from 0. */
export function estimateOf(agent: string, tokens: number): number {
  checkNumbers(`"${agent}"`, { estimateTokens: tokens }, { most: Number.MAX_SAFE_INTEGER });
  return Math.ceil(tokens);
}
