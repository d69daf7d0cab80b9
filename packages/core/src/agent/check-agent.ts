import { checkNumbers } from "../base/check-numbers.ts";
import { PawlError } from "../base/errors.ts";
import { wrongWith } from "../hooks/check-hook.ts";
import { unlimited } from "../log/budget.ts";
import type { ModelClient } from "../model/model-client.ts";
import { checkPricing } from "../model/pricing.ts";
import { dependencyCycle } from "../tools/dependency-cycle.ts";
import type { Agent, WhenBusy } from "./agent.ts";

/** The failure policies' two are about a run only. */
const KNOWN_LIMITS: Readonly<Record<"limits" | "sessionLimits", readonly string[]>> = {
  limits: [...Object.keys(unlimited), "errorTurns", "toolFailures"],
  sessionLimits: Object.keys(unlimited),
};

/** Whether this is a {@link WhenBusy}. */
export function isWhenBusy(value: unknown): value is WhenBusy {
  return value === "reject" || value === "queue" || value === "interrupt";
}

/** Refuses an agent that could not work, when it is defined and not when it is used. */
export function checkAgent<Deps>(
  agent: Agent<Deps>,
  tools: readonly { name: string }[],
  unknown: readonly string[],
): void {
  const { name, limits, sessionLimits } = agent;
  if (unknown.length > 0) throw agentError(name, `there is no option "${unknown.join('", "')}".`);
  checkCounts(agent);
  checkParts(agent);
  agent.estimateTokens(1_000);
  for (const { id, pricing } of modelsOf(agent)) checkPricing(`${id}, the model of "${name}",`, pricing);
  const costs = [limits.costUsd, sessionLimits.costUsd].some(Number.isFinite);
  const free = costs ? modelsOf(agent).find(({ pricing }) => pricing === undefined) : undefined;
  if (free !== undefined) {
    throw agentError(name, `costUsd is limited, but ${free.id} has no prices. Give that model a "pricing".`);
  }
  if (agent.whenBusy !== undefined && !isWhenBusy(agent.whenBusy)) {
    throw agentError(name, `whenBusy cannot be "${agent.whenBusy}".`);
  }
  if (!["stop", "land"].includes(agent.onLimit)) {
    throw agentError(name, `onLimit cannot be "${agent.onLimit}".`);
  }
  if (agent.instructions.trim() === "") throw agentError(name, "it has no instructions.");
  checkToolOnly(agent);
  refuseTwins(name, "tools", tools);
  refuseTwins(name, "hooks", agent.hooks);
  const cycle = dependencyCycle(agent.tools);
  if (cycle !== undefined) throw agentError(name, `its tools wait for each other: ${cycle.join(", ")}.`);
}

function checkCounts<Deps>(agent: Agent<Deps>): void {
  const { name, limits, sessionLimits, maxTokens, toolConcurrency, resultLimit, userDataTimeoutMs } = agent;
  for (const [what, value] of Object.entries({
    maxTokens,
    toolConcurrency,
    resultLimit,
    userDataTimeoutMs,
  })) {
    if (!Number.isInteger(value) || value < 1) {
      throw agentError(name, `${what} must be a whole number from 1, not ${value}.`);
    }
  }
  for (const [group, all] of [
    ["limits", limits],
    ["sessionLimits", sessionLimits],
  ] as const) {
    for (const [what, value] of Object.entries(all)) {
      if (!KNOWN_LIMITS[group].includes(what)) throw agentError(name, `${group}.${what} is no limit.`);
      if (!(typeof value === "number" && value > 0)) {
        throw agentError(
          name,
          `${group}.${what} must be a number above 0, not ${value}; Infinity is no limit.`,
        );
      }
    }
  }
}

/** What `estimateTokens` says, in whole tokens; limits are kept by it. */
export function estimateOf(agent: string, tokens: number): number {
  checkNumbers(`"${agent}"`, { estimateTokens: tokens }, { most: Number.MAX_SAFE_INTEGER });
  return Math.ceil(tokens);
}

/** For those who write JavaScript: the parts are what they are taken for. */
function checkParts<Deps>({ name, model, hooks, tools }: Agent<Deps>): void {
  if (typeof model?.stream !== "function")
    throw agentError(name, "its model is none: make one, e.g. with claude().");
  for (const hook of hooks) {
    const wrong = wrongWith(hook, tools);
    if (wrong !== undefined) throw agentError(name, wrong);
  }
}

/**
 * A run that acts by tools alone needs one that ends it, or a condition of the application's beside the
 * circuit breaker.
 */
function checkToolOnly<Deps>({ name, toolOnly, tools, stopWhen }: Agent<Deps>): void {
  if (!toolOnly) return;
  if (tools.size === 0) throw agentError(name, "it is to act by tools alone and has none.");
  const ends = [...tools.values()].some(({ endsRun }) => endsRun !== false);
  if (!ends && stopWhen.length < 2)
    throw agentError(name, "it is to act by tools alone, and none has `endsRun`: no run would ever be done.");
}

/** The agent's model, and those of the agents that work for it: what they cost is its own. */
function modelsOf<Deps>({ model, tools }: Agent<Deps>): ModelClient[] {
  return [model, ...[...tools.values()].flatMap(({ delegate }) => delegate?.models ?? [])];
}

function refuseTwins(agent: string, what: string, named: readonly { name: string }[]): void {
  const names = named.map((one) => one.name);
  const twin = names.find((one, at) => names.indexOf(one) !== at);
  if (twin !== undefined) throw agentError(agent, `it has two ${what} named "${twin}".`);
}

function agentError(agent: string, what: string): PawlError {
  return new PawlError("config", `The agent "${agent}" cannot be used: ${what}`);
}
