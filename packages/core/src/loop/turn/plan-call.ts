import type { AgentOutput } from "../../agent/agent.ts";
import { withinDeadline } from "../../base/deadline.ts";
import { askedOutput } from "../../context/agent-change.ts";
import { type Prompt, promptOf, requestEvent, requestOf } from "../../context/build-request.ts";
import { newPrefix } from "../../context/prefix.ts";
import { hasLostServerCalls } from "../../context/server-calls.ts";
import type { TurnPlan } from "../../hooks/turn-plan.ts";
import type { StoredEvent } from "../../log/event.ts";
import type { EventData } from "../../log/event-data.ts";
import { FINAL_ANSWER } from "../../log/final-answer.ts";
import type { StopReason } from "../../log/stop-reason.ts";
import type { ModelClient, ModelRequest, ToolChoice } from "../../model/model-client.ts";
import { estimatedPrompt } from "../../session/counted-prompt.ts";
import { openRun } from "../../session/state.ts";
import { remainingOf } from "../../stop/limits.ts";
import { roomFor } from "../../stop/room.ts";
import { hooksWith } from "../hooks/call-hooks.ts";
import { planRequest } from "../hooks/turn-hooks.ts";
import { speakerOf } from "../leg/effective-type.ts";
import type { Leg, Parts } from "../leg/leg.ts";
import type { JudgedAttempt, OutputVerdict } from "../leg/part-types.ts";
import { storeHeld } from "../leg/stored-first.ts";

/** A model call within the limits, and the event that logs it. */
export interface ModelCall {
  model: ModelClient;
  request: ModelRequest;
  event: EventData["llm_request"];
}

/** The step to take instead of a model call: prepare the landing turn, or end the run. */
export interface InsteadOfCall {
  do: "land" | "end";
  stop: StopReason;
}

/**
 * Plans the next request: applies the turn's plan, the hooks' changes and the limits. Returns another step if
 * the limits do not allow a request, and `undefined` if the leg was aborted or a message has arrived in the
 * meantime, so that the loop decides again.
 */
export async function planCall(leg: Leg, turnPlan: TurnPlan): Promise<ModelCall | InsteadOfCall | undefined> {
  // A new prefix removes calls of the API's own tools that have no result, which the API would refuse.
  if (hasLostServerCalls(leg.log.state))
    await leg.log.storeDecision([newPrefix(leg.log.state, leg.run.newId())]);
  const prompt = promptOf(leg.log.state);
  if (hooksWith(leg, "beforeModel").length === 0) return await withWantedCall(leg, prompt, turnPlan);
  const planned = await planRequest(leg, turnPlan, (plan) => ({
    request: requestOf(prompt, paramsOf(leg, plan)),
    estimatedTokens: estimatedTokensOf(leg, prompt, plan.model),
    plan,
  }));
  if (leg.life.signal.aborted) return undefined;
  if (planned.stop) return { do: "end", stop: planned.stop };
  return await withWantedCall(leg, prompt, planned.plan);
}

/**
 * Plans the model call. If a hook forces a call and the model cannot be forced, a note first tells the model
 * which tool to call.
 */
// Not async, to save a promise: few turns force a call.
function withWantedCall(
  leg: Leg,
  prompt: Prompt,
  plan: TurnPlan,
): Promise<ModelCall | InsteadOfCall | undefined> {
  const { toolChoice } = paramsOf(leg, plan);
  const isForced = toolChoice?.type === "any" || toolChoice?.type === "tool";
  if (!isForced || plan.model.forcedToolChoice) return withinLimits(leg, prompt, plan);
  return afterNote(leg, prompt, plan, toolChoice);
}

/** Stores the note that tells the model which tool to call, and plans the model call with it. */
async function afterNote(
  leg: Leg,
  prompt: Prompt,
  plan: TurnPlan,
  wanted: ToolChoice,
): Promise<ModelCall | InsteadOfCall | undefined> {
  const wanting = await (await leg.parts.load()).wantCall(leg, plan);
  // No hook has seen a message that has arrived since then, so they are called again.
  const isNew = ({ type, seq }: StoredEvent) => type === "user_message" && seq > prompt.uptoSeq;
  if (leg.log.state.unsent.some(isNew)) return undefined;
  return await withinLimits(leg, promptOf(leg.log.state), wanting, wanted);
}

/** Estimates how many tokens a prompt has for a model. */
function estimatedTokensOf({ log, run: { agent } }: Leg, { chars }: Prompt, model: ModelClient): number {
  return estimatedPrompt(log.state.counted, { model: model.id, chars }, agent.estimateTokens);
}

/** Plans the model call. Lowers `max_tokens` if the limits do not allow the full length of an answer. */
async function withinLimits(
  leg: Leg,
  prompt: Prompt,
  plan: TurnPlan,
  wanted?: ToolChoice,
): Promise<ModelCall | InsteadOfCall> {
  const { state } = leg.log;
  const { model, tools } = plan;
  const estimatedTokens = estimatedTokensOf(leg, prompt, model);
  const left = remainingOf(state, leg.run.agent, leg.life.legMs());
  const isLanding = openRun(state)?.landing !== undefined;
  const keepsRoomToLand = leg.run.agent.onLimit === "land" && !isLanding;
  const call = { estimatedTokens, maxTokens: plan.maxTokens, pricing: model.pricing };
  const room = roomFor(left, call, keepsRoomToLand);
  if ("type" in room) return { do: keepsRoomToLand ? "land" : "end", stop: room };
  // The turn's model may have no such format: a hook, or a later version of the agent, may have chosen it.
  const format = askedOutput(state, leg.run.agent.output) === "text" ? prompt.prefix.outputFormat : undefined;
  const outputFormat = format && model.outputFormat?.(format);
  const params = {
    ...paramsOf(leg, plan),
    maxTokens: room.maxTokens,
    ...(outputFormat && { outputFormat }),
  };
  const event = await requestEvent(state, prompt, {
    ...params,
    ...(wanted && { wanted }),
    model: model.id,
    estimatedTokens,
    pricing: model.pricing,
    limitedBy: room.limitedBy,
    role: speakerOf(leg),
    ...(tools !== undefined && { tools }),
  });
  return { model, request: requestOf(prompt, params), event };
}

/**
 * Returns `max_tokens` and the tool choice. In the landing turn, the model may call no tool but the one that
 * gives the run's output. The tool choice is left out if the prompt has no tools, because the API would
 * refuse it. It is also left out if it names a tool that the prompt does not have.
 */
function paramsOf(
  leg: Leg,
  { model, maxTokens, toolChoice = defaultToolChoice(leg, model) }: TurnPlan,
): { maxTokens: number; toolChoice?: ToolChoice } {
  const tools = leg.log.state.prefix?.tools ?? [];
  if (tools.length === 0) return { maxTokens };
  if (openRun(leg.log.state)?.landing !== undefined)
    return {
      maxTokens,
      ...(hasOutputTool(leg) ? outputToolChoice(model) : { toolChoice: { type: "none" } }),
    };
  // A later version of the agent may name a tool that this run's prefix does not have yet.
  const isKnown = toolChoice?.type !== "tool" || tools.some(({ name }) => name === toolChoice.name);
  return { maxTokens, ...(toolChoice !== undefined && isKnown && { toolChoice }) };
}

/** Returns whether the model gives the run's output by calling a tool. */
function hasOutputTool({ log, run: { agent } }: Leg): boolean {
  return askedOutput(log.state, agent.output) === "call";
}

/**
 * Returns the tool choice of a landing turn in which the model gives the run's output by a tool. Empty if the
 * model cannot be forced to call a tool.
 */
function outputToolChoice(model: ModelClient): { toolChoice?: ToolChoice } {
  if (model.forcedToolChoice !== true) return {};
  return { toolChoice: { type: "tool", name: FINAL_ANSWER, disable_parallel_tool_use: true } };
}

/**
 * Returns the default tool choice. The model must call a tool if the agent is `toolOnly` or its output is
 * given by a tool, and if the model supports a forced choice. For a `toolOnly` agent, it makes at most one
 * call.
 */
function defaultToolChoice(leg: Leg, model: ModelClient): ToolChoice | undefined {
  const canForce = model.forcedToolChoice === true;
  if (!leg.run.agent.toolOnly) return canForce && hasOutputTool(leg) ? { type: "any" } : undefined;
  return { type: canForce ? "any" : "auto", disable_parallel_tool_use: true };
}

/** A model call that is ready: its request can be stored and sent. */
interface PreparedRequest extends ModelCall {
  /** Judges the answer by the agent's `output`; `undefined` for an agent without one. */
  judge: Judge | undefined;
}

/** Judges a complete answer by the agent's `output`. */
export type Judge = (
  attempt: JudgedAttempt,
  answer: Parameters<Parts["outputVerdict"]>[3],
) => Promise<OutputVerdict>;

/** A model call whose `llm_request` is in the log, under the number `seq`. */
export interface StoredRequest extends PreparedRequest {
  seq: number;
}

/**
 * Plans the next model call like {@link planCall}, and loads everything that it needs. Returns `undefined` if
 * the caller must decide again. Rejects if the leg is aborted while files are read.
 */
export async function prepareRequest(
  leg: Leg,
  plan: TurnPlan,
): Promise<PreparedRequest | InsteadOfCall | undefined> {
  const planned = await planCall(leg, plan);
  if (planned === undefined || "do" in planned) return planned;
  const judge = leg.run.agent.output && (await loadJudge(leg, leg.run.agent.output));
  const filled = leg.run.files.fill(planned.request, planned.model, leg.life);
  if (!(filled instanceof Promise)) return { ...planned, judge, request: filled };
  // A promise that is rejected before it is awaited would end the process.
  filled.catch(() => undefined);
  await storeHeld(leg);
  return { ...planned, judge, request: await withinDeadline(leg.life, filled) };
}

/**
 * Returns a function that judges answers by the agent's `output`. Loads its code before the request is sent:
 * if loading fails, no answer was paid for.
 */
async function loadJudge(leg: Leg, output: AgentOutput): Promise<Judge> {
  const { outputVerdict } = await leg.parts.load();
  return async (attempt, answer) => await outputVerdict(leg, output, attempt, answer);
}
