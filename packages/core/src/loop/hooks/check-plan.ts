import type { Agent } from "../../agent/agent.ts";
import type { TurnPlan } from "../../hooks/hook.ts";
import type { ToolChoice } from "../../model/model-client.ts";
import { checkPricing } from "../../model/pricing.ts";

/**
 * Checks a hook's plan and returns it without unknown fields.
 *
 * @throws Error that says what is wrong.
 */
export function checkPlan({ tools: known, model: own }: Agent, plan: TurnPlan): TurnPlan {
  const { model, maxTokens, toolChoice, tools } = plan;
  if (typeof model?.stream !== "function")
    throw new Error(`\`model\` must be a ModelClient, not a value of type ${typeof model}.`);
  // The agent's own pricing was checked when the agent was defined.
  if (model !== own) checkPricing(model.id, model.pricing);
  if (!Number.isInteger(maxTokens) || maxTokens < 1) {
    throw new Error(`maxTokens must be a whole number from 1, not ${maxTokens}.`);
  }
  if (tools !== undefined && !(Array.isArray(tools) && tools.every((name) => typeof name === "string"))) {
    throw new Error("`tools` must be a list of tool names.");
  }
  if (toolChoice?.type === "tool" && !known.has(toolChoice.name)) {
    throw new Error(`there is no tool named "${toolChoice.name}".`);
  }
  return {
    model,
    maxTokens,
    ...(toolChoice && { toolChoice: choiceOf(toolChoice) }),
    ...(tools && { tools }),
  };
}

/** Returns the choice with only the fields that the API knows. */
function choiceOf(choice: ToolChoice): ToolChoice {
  const { type } = choice;
  if (type === "none") return { type };
  if (type !== "auto" && type !== "any" && type !== "tool") {
    throw new Error(`toolChoice.type must be "auto", "any", "tool" or "none", not "${type}".`);
  }
  const single = choice.disable_parallel_tool_use;
  const parallel = single === undefined ? {} : { disable_parallel_tool_use: Boolean(single) };
  return type === "tool" ? { type, name: choice.name, ...parallel } : { type, ...parallel };
}
