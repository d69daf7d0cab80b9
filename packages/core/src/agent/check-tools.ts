import { PawlError } from "../base/errors.ts";
import { toJson } from "../base/json.ts";
import type { Hook } from "../hooks/hook.ts";
import { FINAL_ANSWER } from "../log/final-answer.ts";
import type { ModelClient } from "../model/model-client.ts";
import { checkPricing } from "../model/pricing.ts";
import type { Tool } from "../tools/tool.ts";
import type { Agent } from "./agent.ts";

/**
 * Checks an agent's tools. `tools` is the list as the application gave it. Only the list shows that two tools
 * have the same name: in the map `agent.tools`, the second one has replaced the first.
 *
 * @throws PawlError `config`
 */
export function checkTools<Deps>(agent: Agent<Deps>, tools: readonly { name: string }[]): void {
  const { name } = agent;
  checkPrices(agent);
  checkToolOnly(agent);
  checkBesideOutput(agent);
  refuseSameNames(name, "tools", tools);
  refuseRenamed(agent);
  for (const tool of agent.tools.values()) checkSpec(name, tool);
  const cycle = dependencyCycle(agent.tools);
  if (cycle !== undefined)
    throw agentError(name, `its tools depend on each other in a circle: ${cycle.join(", ")}.`);
}

/** Requires prices of all models that a run may call, if the cost is limited or a hook counts it. */
export function checkPrices<Deps>(agent: Agent<Deps>): void {
  const models = modelsOf(agent);
  for (const { id, pricing } of models) checkPricing(`${id}, the model of "${agent.name}",`, pricing);
  const unpricedModel = unpriced(agent, models);
  if (unpricedModel === undefined) return;
  throw agentError(agent.name, `${whyPricesNeeded(agent)}, but ${missingPricesText(unpricedModel)}`);
}

/** The fields of an agent that decide whether its models need prices. */
type Priced = Pick<Agent, "limits" | "sessionLimits"> & {
  hooks: readonly Pick<Hook, "name" | "needsPrices">[];
};

/** Returns the first model without prices; `undefined` if all have prices, or the agent's runs need none. */
export function unpriced(
  agent: Priced,
  models: readonly Pick<ModelClient, "id" | "pricing">[],
): Pick<ModelClient, "id"> | undefined {
  if (whyPricesNeeded(agent) === undefined) return undefined;
  return models.find(({ pricing }) => pricing === undefined);
}

/** Returns why the models of the agent's runs need prices; `undefined` if they do not. */
export function whyPricesNeeded({ limits, sessionLimits, hooks }: Priced): string | undefined {
  if ([limits.costUsd, sessionLimits.costUsd].some(Number.isFinite)) return "costUsd is limited";
  const hook = hooks.find(({ needsPrices }) => needsPrices);
  return hook && `its hook "${hook.name}" counts cost`;
}

/** Returns the end of a message about a model that must have prices. */
export function missingPricesText({ id }: Pick<ModelClient, "id">): string {
  return `${id} has no prices. Give it some, in US dollars per million tokens: pricing: { input, output, cacheRead, cacheWrite5m, cacheWrite1h }, e.g. by pricingOf("claude-sonnet-5-5") of @pawl/anthropic.`;
}

/**
 * Requires that runs of a `toolOnly` agent can end: by a tool with `endsRun` or by a condition in `stopWhen`.
 */
function checkToolOnly<Deps>({ name, toolOnly, tools, stopWhen, output }: Agent<Deps>): void {
  if (!toolOnly || output !== undefined) return;
  if (tools.size === 0) throw agentError(name, "it is `toolOnly` and has no tools.");
  const hasEnd = [...tools.values()].some(({ endsRun }) => endsRun !== false);
  // The first condition is Pawl's own, `stopOnFailedTurns`.
  if (!hasEnd && stopWhen.length < 2)
    throw agentError(
      name,
      "it is `toolOnly`, and no tool has `endsRun`: its runs would never be done. Set `endsRun`, or add a condition to `stopWhen`.",
    );
}

/** Refuses tools with `endsRun`, or named `final_answer`, if the agent has an `output`. */
function checkBesideOutput<Deps>({ name, tools, output }: Agent<Deps>): void {
  if (output === undefined) return;
  const ending = [...tools.values()].find(({ endsRun }) => endsRun !== false);
  if (ending !== undefined)
    throw agentError(
      name,
      `it has an \`output\`, and its tool "${ending.name}" has \`endsRun\`: a run has only one output. Leave one of them out.`,
    );
  if (tools.has(FINAL_ANSWER))
    throw agentError(
      name,
      `it has an \`output\`, for which Pawl uses the tool name "${FINAL_ANSWER}". Give its own tool another name.`,
    );
}

/** Refuses a tool that is a copy under another name, e.g. with a prefix: the model reads the old name. */
function refuseRenamed<Deps>({ name: agent, tools }: Agent<Deps>): void {
  for (const { name, spec } of tools.values())
    if (spec.name !== name)
      throw agentError(
        agent,
        `its tool "${name}" has the name "${spec.name}" in its \`spec\`, which the model reads. Make the tool by tool({ name: "${name}" }).`,
      );
}

/** Refuses a tool whose `spec` was changed so that it cannot be stored, e.g. into a schema with a cycle. */
function checkSpec(agent: string, { name, spec }: Pick<Tool, "name" | "spec">): void {
  try {
    toJson(spec);
  } catch (cause) {
    throw agentError(
      agent,
      `the \`spec\` of its tool "${name}" must be JSON without cycles. Make the tool by tool().`,
      cause,
    );
  }
}

/** Returns all models that a run may call: the agent's, those of its sub-agents, and their fallbacks. */
function modelsOf<Deps>(agent: Agent<Deps>): Pick<ModelClient, "id" | "pricing">[] {
  const ofSubAgents = [...agent.tools.values()].flatMap(({ delegate }) => delegate?.fixed?.models ?? []);
  return [...ownModels(agent), ...ofSubAgents].flatMap((one) => one.models ?? [one]);
}

/** Returns the models of an agent and of its roles. */
export function ownModels<Deps>({ model, roles = {} }: Pick<Agent<Deps>, "model" | "roles">): ModelClient[] {
  return [model, ...Object.values(roles).flatMap((role) => role.model ?? [])];
}

/** Refuses two things of the same name. `kind` is their plural, e.g. `tools`. @throws PawlError `config` */
export function refuseSameNames(agent: string, kind: string, named: readonly { name: string }[]): void {
  const seen = new Set<string>();
  for (const { name } of named) {
    if (seen.has(name)) throw agentError(agent, `it has two ${kind} named "${name}".`);
    seen.add(name);
  }
}

/** Returns the error for an agent with a mistake. `problem` is a sentence that begins in lower case. */
export function agentError(agent: string, problem: string, cause?: unknown): PawlError {
  const options = cause === undefined ? {} : { cause };
  return new PawlError("config", `The agent "${agent}" cannot be used: ${problem}`, options);
}

/**
 * Returns the names of tools that depend on each other in a circle, in order, or `undefined` if there are
 * none. If such tools were called in one turn, each would wait forever for the next. A tool may depend on
 * itself. Unknown names are ignored.
 */
export function dependencyCycle(
  tools: ReadonlyMap<string, { readonly dependsOn: readonly string[] }>,
): readonly string[] | undefined {
  const withoutCycle = new Set<string>();
  const search = (name: string, path: readonly string[]): readonly string[] | undefined => {
    const cycleStart = path.indexOf(name);
    if (cycleStart !== -1) return path.slice(cycleStart);
    if (withoutCycle.has(name)) return undefined;
    for (const next of tools.get(name)?.dependsOn ?? []) {
      if (next === name) continue;
      const cycle = search(next, [...path, name]);
      if (cycle !== undefined) return cycle;
    }
    withoutCycle.add(name);
    return undefined;
  };
  for (const name of tools.keys()) {
    const cycle = search(name, []);
    if (cycle !== undefined) return cycle;
  }
  return undefined;
}
