import { butIs, checkNumbers } from "../base/check-numbers.ts";
import { PawlError } from "../base/errors.ts";
import { isOwnTag } from "../context/own-tags.ts";
import { wrongWith } from "../hooks/check-hook.ts";
import { unlimited } from "../log/budget.ts";
import { checkModel } from "../model/check-model.ts";
import type { ModelClient } from "../model/model-client.ts";
import { checkPricing } from "../model/pricing.ts";
import { dependencyCycle } from "../tools/dependency-cycle.ts";
import type { Agent, WhenBusy } from "./agent.ts";

/** The known limits. `errorTurns` and `toolFailures` exist only for runs. */
const KNOWN_LIMITS: Readonly<Record<"limits" | "sessionLimits", readonly string[]>> = {
  limits: [...Object.keys(unlimited), "errorTurns", "toolFailures"],
  sessionLimits: Object.keys(unlimited),
};

/** Returns whether a value is a {@link WhenBusy}. */
export function isWhenBusy(value: unknown): value is WhenBusy {
  return value === "reject" || value === "queue" || value === "interrupt";
}

/** Throws if the agent could not work, so that mistakes are found when the agent is defined. */
export function checkAgent<Deps>(agent: Agent<Deps>, tools: readonly { name: string }[]): void {
  const { name, limits, sessionLimits } = agent;
  checkParts(agent);
  agent.estimateTokens(1_000);
  for (const { id, pricing } of modelsOf(agent)) checkPricing(`${id}, the model of "${name}",`, pricing);
  const costs = [limits.costUsd, sessionLimits.costUsd].some(Number.isFinite);
  const free = costs ? modelsOf(agent).find(({ pricing }) => pricing === undefined) : undefined;
  if (free !== undefined) {
    throw agentError(
      name,
      `costUsd is limited, but ${free.id} has no prices. Give it some, in US dollars per million tokens: pricing: { input, output, cacheRead, cacheWrite5m, cacheWrite1h }, e.g. by pricingOf("claude-sonnet-5-5") of @pawl/anthropic.`,
    );
  }
  if (agent.whenBusy !== undefined && !isWhenBusy(agent.whenBusy)) {
    throw agentError(name, `whenBusy must be "reject", "queue" or "interrupt", not "${agent.whenBusy}".`);
  }
  if (!["stop", "land"].includes(agent.onLimit)) {
    throw agentError(name, `onLimit must be "stop" or "land", not "${agent.onLimit}".`);
  }
  if (!["turn", "run"].includes(agent.userDataPer)) {
    throw agentError(name, `userDataPer must be "turn" or "run", not "${agent.userDataPer}".`);
  }
  if (agent.resultTag !== undefined && !isOwnTag(agent.resultTag)) {
    throw agentError(
      name,
      `resultTag must be the name of an XML tag that Pawl does not use itself, e.g. "result"; got "${agent.resultTag}".`,
    );
  }
  if (agent.instructions.trim() === "") throw agentError(name, "it has no instructions.");
  checkToolOnly(agent);
  refuseTwins(name, "tools", tools);
  refuseTwins(name, "hooks", agent.hooks);
  const cycle = dependencyCycle(agent.tools);
  if (cycle !== undefined)
    throw agentError(name, `its tools depend on each other in a circle: ${cycle.join(", ")}.`);
}

/** Checks an agent's numbers. Called before Pawl's own guards are made from them. */
export function checkCounts<Deps>(agent: Agent<Deps>): void {
  const { name } = agent;
  for (const what of ["maxTokens", "toolConcurrency", "resultLimit", "userDataTimeoutMs"] as const) {
    const value = agent[what];
    if (!Number.isInteger(value) || value < 1) {
      throw agentError(name, `${what} must be a whole number from 1${butIs(value)}.`);
    }
  }
  for (const group of ["limits", "sessionLimits"] as const) {
    for (const [what, value] of Object.entries(agent[group])) {
      if (!KNOWN_LIMITS[group].includes(what))
        throw agentError(name, `${group}.${what} is not a limit; use ${KNOWN_LIMITS[group].join(", ")}.`);
      if (!(typeof value === "number" && value > 0)) {
        throw agentError(
          name,
          `${group}.${what} must be a number above 0${butIs(value)}. Infinity lifts the limit.`,
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

/** Checks the types of values that come from JavaScript, where no compiler checks them. */
function checkParts<Deps>({ name, model, hooks, tools }: Agent<Deps>): void {
  checkModel(`\`model\` of agent("${name}")`, model);
  for (const hook of hooks) {
    const wrong = wrongWith(hook, tools);
    if (wrong !== undefined) throw agentError(name, wrong);
  }
}

/**
 * Requires that runs of a `toolOnly` agent can end: by a tool with `endsRun` or by a condition in `stopWhen`.
 */
function checkToolOnly<Deps>({ name, toolOnly, tools, stopWhen }: Agent<Deps>): void {
  if (!toolOnly) return;
  if (tools.size === 0) throw agentError(name, "it is `toolOnly` and has no tools.");
  const ends = [...tools.values()].some(({ endsRun }) => endsRun !== false);
  if (!ends && stopWhen.length < 2)
    throw agentError(
      name,
      "it is `toolOnly`, and no tool has `endsRun`: its runs would never be done. Set `endsRun`, or add a condition to `stopWhen`.",
    );
}

/** Returns all models that a run may call: the agent's, those of its sub-agents, and their fallbacks. */
function modelsOf<Deps>({ model, tools }: Agent<Deps>): Pick<ModelClient, "id" | "pricing">[] {
  const own = [model, ...[...tools.values()].flatMap(({ delegate }) => delegate?.models ?? [])];
  return own.flatMap((one) => one.models ?? [one]);
}

function refuseTwins(agent: string, what: string, named: readonly { name: string }[]): void {
  const names = named.map((one) => one.name);
  const twin = names.find((one, at) => names.indexOf(one) !== at);
  if (twin !== undefined) throw agentError(agent, `it has two ${what} named "${twin}".`);
}

function agentError(agent: string, what: string): PawlError {
  return new PawlError("config", `The agent "${agent}" cannot be used: ${what}`);
}
