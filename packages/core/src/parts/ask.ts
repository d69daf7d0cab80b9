import { missingPricesText, unpriced, whyPricesNeeded } from "../agent/check-tools.ts";
import { type AskEnd, askAndRemind } from "../ask/ask.ts";
import { type AnyAskOptions, ASK_IN_RUN_OPTIONS, checkAsk } from "../ask/ask-options.ts";
import { PawlError } from "../base/errors.ts";
import { centsFromUsd, usdFromCents } from "../base/usd.ts";
import type { RunContext } from "../hooks/hook.ts";
import { addSpent, type Budget, nothingSpent, restOfBudget } from "../log/budget.ts";
import type { NewEvent, StoredEvent } from "../log/event.ts";
import { eventKey } from "../log/event-keys.ts";
import type { StopReason } from "../log/stop-reason.ts";
import { tokensOf, usageOf } from "../log/tokens.ts";
import type { Leg } from "../loop/leg/leg.ts";
import type { Asker } from "../loop/leg/part-types.ts";
import type { AnswerInLog } from "../loop/leg/progress.ts";
import { afterBarrier } from "../loop/leg/stored-first.ts";
import { validateFor } from "../loop/leg/validate-for.ts";
import { overspent } from "../loop/turn/attempts.ts";
import type { ModelClient } from "../model/model-client.ts";
import { promptTokens } from "../model/pricing.ts";
import { listedProblems } from "../schema/problems.ts";
import type { Schema } from "../schema/schema.ts";
import { openRun, type RunState } from "../session/state.ts";
import { remainingOf } from "../stop/limits.ts";
import { mostUsedBy, noRoomStop, type PlannedCall, roomFor } from "../stop/room.ts";
import { type AskSpent, askOutcome, type StoredAnswer } from "../tools/ask-outcome.ts";

/** Returns the method `askModel` of a hook's or tool's context. */
export function askModelInRun(leg: Leg, asker: Asker): RunContext["askModel"] {
  const askModel = async (model: ModelClient, options: AnyAskOptions & { key?: string }) => {
    checkAsk("context.askModel()", model, options, ASK_IN_RUN_OPTIONS);
    const run = openRun(leg.log.state);
    if (run === undefined) throw new PawlError("invalid_input", "The run has ended, so no model is asked.");
    const { key, ...askOptions } = options;
    if (key === undefined) {
      const { spent, ...end } = await askAndCharge(leg, asker, model, askOptions, undefined);
      if ("error" in end) throw end.error;
      return askOutcome(end.answer, spent, end.output, false);
    }
    const storedKey = eventKey.ask(run.runId, asker.scope, key);
    const { answer, spent, replayed } = await sharedAnswer(leg, storedKey, () =>
      answerByKey(leg, run, asker, model, askOptions, storedKey),
    );
    // This caller's schema may differ from that of the call that got the answer.
    const { schema } = askOptions;
    if (schema === undefined) return askOutcome(answer, spent, undefined, replayed);
    const checked = await validateFor(leg, schema as Schema, answer.output);
    if (checked.ok) return askOutcome(answer, spent, checked.value, replayed);
    const message = `The answer with the key "${key}" does not match the schema: ${listedProblems(checked.problems)}`;
    throw new PawlError("unusable_answer", message, { details: { reason: "mismatch" } });
  };
  return askModel as RunContext["askModel"];
}

/** Returns the answer of the in-flight call with this event key; without one, starts a call. */
async function sharedAnswer(
  leg: Leg,
  storedKey: string,
  start: () => Promise<AnswerInLog>,
): Promise<AnswerInLog> {
  const { byKey } = leg.once.asks;
  const inFlight = byKey.get(storedKey);
  if (inFlight !== undefined) return { ...(await inFlight), replayed: true };
  const started = start();
  byKey.set(storedKey, started);
  try {
    return await started;
  } finally {
    byKey.delete(storedKey);
  }
}

/** Returns the answer that is stored with this event key, or else asks the model and stores its answer. */
async function answerByKey(
  leg: Leg,
  run: RunState,
  asker: Asker,
  model: ModelClient,
  options: AnyAskOptions,
  storedKey: string,
): Promise<AnswerInLog> {
  const stored = await storedAnswer(leg, run, storedKey);
  const { schema } = options;
  // The stored answer may not match a schema that has changed since. The new answer is then not stored,
  // because its key is taken.
  const isUsable =
    stored !== undefined &&
    (schema === undefined || (await validateFor(leg, schema as Schema, stored.answer.output)).ok);
  if (isUsable) return stored;
  const end = await askAndCharge(leg, asker, model, options, stored === undefined ? storedKey : undefined);
  if ("error" in end) throw end.error;
  return { answer: end.answer, spent: end.spent, replayed: false };
}

async function storedAnswer(leg: Leg, run: RunState, storedKey: string): Promise<AnswerInLog | undefined> {
  for await (const event of leg.run.read({ afterSeq: run.seq, types: ["spending"] }))
    if (event.key === storedKey) return answerIn(event);
  return undefined;
}

/** Returns the answer in a `spending` event; `undefined` if the event has none. */
function answerIn(event: StoredEvent): AnswerInLog | undefined {
  if (event.type !== "spending" || event.data.answer === undefined) return undefined;
  const { answer, model, tokens, cost_cents } = event.data;
  const spent = { model, usage: usageOf(tokens), costUsd: usdFromCents(cost_cents) };
  return { answer, spent, replayed: true };
}

/**
 * Asks the model within the run's limits, and charges the run, also if the call failed. With a `key`, the
 * answer is stored under it.
 */
async function askAndCharge(
  leg: Leg,
  { by, signal }: Asker,
  model: ModelClient,
  options: AnyAskOptions,
  key: string | undefined,
): Promise<AskEnd> {
  const { clock, timeLeftMs } = leg.life;
  const startedAt = clock.now();
  const reserved = { most: nothingSpent, used: nothingSpent };
  const toFix: PawlError[] = [];
  leg.once.asks.reserved.add(reserved);
  try {
    const end = await askAndRemind(model, options, {
      ...{ clock, signal: signal(), timeLeftMs, estimateTokens: leg.run.agent.estimateTokens },
      userId: leg.run.session.userId,
      admit: (call, spent) => {
        refuseUnpriced(leg, model);
        refuseBeyondLimits(leg, reserved, call, spent);
      },
      overspent: (spent) => {
        reserved.used = usedBudget(spent);
        const stop = overspent(leg);
        return stop && limitError(stop, "are reached, so the answer was ended");
      },
      toFix: (error) => void toFix.push(error),
    });
    // Its use is about to be in the log, and must not count twice.
    reserved.used = nothingSpent;
    const answer = "answer" in end ? end.answer : undefined;
    const durationMs = clock.now() - startedAt;
    const event = chargeOf(by, end.spent, key === undefined ? undefined : answer, key, durationMs);
    if (event !== undefined && openRun(leg.log.state) !== undefined) await leg.log.add([event]);
    if (toFix.length > 0) await afterBarrier(leg, () => toFix.forEach(leg.report.toFix));
    return end;
  } finally {
    leg.once.asks.reserved.delete(reserved);
  }
}

/** Refuses a model without prices if the run's cost is limited or counted. */
function refuseUnpriced({ run: { agent } }: Leg, model: ModelClient): void {
  const unpricedModel = unpriced(agent, model.models ?? [model]);
  if (unpricedModel === undefined) return;
  const message = `context.askModel() cannot ask this model: ${whyPricesNeeded(agent)}, but ${missingPricesText(unpricedModel)}`;
  throw new PawlError("limit_reached", message, { details: { limit: "cost_limit" } });
}

/**
 * Refuses a request if the run's limits leave no room for it beside the calls in flight. `spent` is the use
 * of the call's earlier requests. Otherwise reserves that use and the most that the request may use.
 */
function refuseBeyondLimits(leg: Leg, reserved: { most: Budget }, call: PlannedCall, spent: AskSpent): void {
  const { state } = leg.log;
  const run = openRun(state);
  reserved.most = usedBudget(spent);
  const left = remainingOf(state, leg.run.agent, leg.life.legMs());
  for (const { most } of leg.once.asks.reserved) left.amounts = restOfBudget(left.amounts, most);
  // A run that is landing or ending needs no room for a further last turn.
  const hasLastTurn = leg.run.agent.onLimit === "land" && !run?.landing && !run?.ending;
  const room = roomFor(left, call, hasLastTurn);
  if ("type" in room || room.maxTokens < call.maxTokens) {
    const stop = "type" in room ? room : noRoomStop(left, room.limitedBy ?? "outputTokens");
    const { estimatedTokens, maxTokens } = call;
    const planned = `about ${estimatedTokens} tokens of prompt and up to ${maxTokens} of answer`;
    throw limitError(stop, `leave no room for ${planned}`);
  }
  reserved.most = addSpent(reserved.most, mostUsedBy(call));
}

function limitError({ type }: StopReason, what: string): PawlError {
  return new PawlError("limit_reached", `The limits of the run (${type}) ${what}.`, {
    details: { limit: type },
  });
}

function usedBudget({ usage, costUsd }: AskSpent): Budget {
  return { ...nothingSpent, inputTokens: promptTokens(usage), outputTokens: usage.outputTokens, costUsd };
}

/**
 * Returns the event that charges the run; `undefined` if nothing was used and there is no answer to store.
 */
function chargeOf(
  by: string,
  { model, usage, costUsd }: AskSpent,
  answer: StoredAnswer | undefined,
  key: string | undefined,
  durationMs: number,
): NewEvent | undefined {
  const tokens = tokensOf(usage);
  if (tokens.total === 0 && costUsd === 0 && answer === undefined) return undefined;
  const data = { by, model, tokens, cost_cents: centsFromUsd(costUsd) };
  if (answer === undefined || key === undefined) return { type: "spending", data, durationMs };
  return { type: "spending", key, data: { ...data, answer }, durationMs };
}
