import type { AgentOutput } from "../../agent/agent.ts";
import { withinDeadline } from "../../base/deadline.ts";
import { askedOutput } from "../../context/agent-change.ts";
import { type Prompt, promptOf, requestEvent, requestOf } from "../../context/build-request.ts";
import { newPrefix } from "../../context/prefix.ts";
import { hasLostServerCalls } from "../../context/server-calls.ts";
import type { TurnPlan } from "../../hooks/turn-plan.ts";
import type { EventData } from "../../log/event-data.ts";
import { FINAL_ANSWER } from "../../log/final-answer.ts";
import type { StopReason } from "../../log/stop-reason.ts";
import type { ModelClient, ModelRequest, ToolChoice } from "../../model/model-client.ts";
import { openRun } from "../../session/state.ts";
import { remainingOf } from "../../stop/limits.ts";
import { roomFor } from "../../stop/room.ts";
import { hooksWith } from "../hooks/call-hooks.ts";
import { planRequest } from "../hooks/turn-hooks.ts";
import type { Leg, Parts } from "../leg/leg.ts";
import type { JudgedAttempt, OutputVerdict } from "../leg/part-types.ts";
import { storedFirst } from "../leg/stored-first.ts";

/** A model call within the limits, and the event that logs it. */
export interface ModelCall {
  model: ModelClient;
  request: ModelRequest;
  event: EventData["llm_request"];
}

/** The step instead of a model call: start the run's last turn, or end the run. */
export interface InsteadOfCall {
  do: "land" | "end";
  stop: StopReason;
}

/**
 * Plans the next request: applies the turn's plan, the hooks' changes and the limits. Returns another step if
 * the limits do not allow a request, and `undefined` if the leg was aborted in the meantime.
 */
export async function planCall(leg: Leg, wanted: TurnPlan): Promise<ModelCall | InsteadOfCall | undefined> {
  if (hasLostServerCalls(leg.log.state)) await leg.log.follow([newPrefix(leg.log.state, leg.run.newId())]);
  const prompt = promptOf(leg.log.state);
  const estimatedTokens = leg.run.agent.estimateTokens(prompt.chars);
  if (hooksWith(leg, "beforeModel").length === 0)
    return await withinLimits(leg, prompt, { ...wanted, estimatedTokens });
  const planned = await planRequest(leg, wanted, (plan) => ({
    request: requestOf(prompt, paramsOf(leg, plan)),
    estimatedTokens,
    plan,
  }));
  if (leg.life.signal.aborted) return undefined;
  if (planned.stop) return { do: "end", stop: planned.stop };
  return await withinLimits(leg, prompt, { ...planned.plan, estimatedTokens });
}

/** Plans the model call, with `max_tokens` lowered to what the limits allow. */
async function withinLimits(
  leg: Leg,
  prompt: Prompt,
  plan: TurnPlan & { estimatedTokens: number },
): Promise<ModelCall | InsteadOfCall> {
  const { state } = leg.log;
  const { model, tools, estimatedTokens } = plan;
  const left = remainingOf(state, leg.run.agent, leg.life.legMs());
  const last = openRun(state)?.landing !== undefined;
  const keepLast = leg.run.agent.onLimit === "land" && !last;
  const call = { estimatedTokens, maxTokens: plan.maxTokens, pricing: model.pricing };
  const room = roomFor(left, call, keepLast);
  if ("type" in room) return { do: keepLast ? "land" : "end", stop: room };
  // A hook, or a later version of the agent, may have chosen a model that has no such format.
  const format = askedOutput(state, leg.run.agent.output) === "text" ? prompt.prefix.outputFormat : undefined;
  const outputFormat = format && model.outputFormat?.(format);
  const params = {
    ...paramsOf(leg, plan),
    maxTokens: room.maxTokens,
    ...(outputFormat && { outputFormat }),
  };
  const event = await requestEvent(state, prompt, {
    ...params,
    model: model.id,
    estimatedTokens,
    pricing: model.pricing,
    limitedBy: room.limitedBy,
    ...(tools !== undefined && { tools }),
  });
  return { model, request: requestOf(prompt, params), event };
}

/**
 * Returns `max_tokens` and the tool choice. The last turn uses no tools. If the prompt has no tools, the tool
 * choice is left out, because the API would refuse it. So is the choice of a tool that the prompt lacks.
 */
function paramsOf(
  leg: Leg,
  { model, maxTokens, toolChoice = choiceFor(leg, model) }: TurnPlan,
): { maxTokens: number; toolChoice?: ToolChoice } {
  const tools = leg.log.state.prefix?.tools ?? [];
  if (tools.length === 0) return { maxTokens };
  if (openRun(leg.log.state)?.landing !== undefined)
    return { maxTokens, ...(hasOutputTool(leg) ? onlyOutput(model) : { toolChoice: { type: "none" } }) };
  // A later version of the agent may name a tool that this run's prefix does not have yet.
  const isKnown = toolChoice?.type !== "tool" || tools.some(({ name }) => name === toolChoice.name);
  return { maxTokens, ...(toolChoice !== undefined && isKnown && { toolChoice }) };
}

/** Returns whether the model gives the run's output by calling a tool. */
function hasOutputTool({ log, run: { agent } }: Leg): boolean {
  return askedOutput(log.state, agent.output) === "call";
}

/** Returns the tool choice of a last turn in which only the output's tool may be called. */
function onlyOutput(model: ModelClient): { toolChoice?: ToolChoice } {
  if (model.forcedToolChoice !== true) return {};
  return { toolChoice: { type: "tool", name: FINAL_ANSWER, disable_parallel_tool_use: true } };
}

/**
 * Returns the default tool choice. An agent that gives its output by a tool is forced to call tools, if the
 * model supports that. A `toolOnly` agent makes at most one call.
 */
function choiceFor(leg: Leg, model: ModelClient): ToolChoice | undefined {
  const isForced = model.forcedToolChoice === true;
  if (!leg.run.agent.toolOnly) return isForced && hasOutputTool(leg) ? { type: "any" } : undefined;
  return { type: model.forcedToolChoice === true ? "any" : "auto", disable_parallel_tool_use: true };
}

/** A model call that is ready to be stored and sent. */
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
  const judge = leg.run.agent.output && (await judgeBy(leg, leg.run.agent.output));
  const filled = leg.run.files.fill(planned.request, planned.model, leg.life);
  if (!(filled instanceof Promise)) return { ...planned, judge, request: filled };
  // A promise that is rejected before it is awaited would end the process.
  filled.catch(() => undefined);
  await storedFirst(leg);
  return { ...planned, judge, request: await withinDeadline(leg.life, filled) };
}

/** Loads the code before the request is sent: if it cannot be loaded, no answer has been paid for. */
async function judgeBy(leg: Leg, output: AgentOutput): Promise<Judge> {
  const { outputVerdict } = await leg.parts.load();
  return async (attempt, answer) => await outputVerdict(leg, output, attempt, answer);
}
