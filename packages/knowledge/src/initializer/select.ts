import { PawlError, type RunContext, toJson } from "@pawl/core";
import { isLogFailure, TimeUp, timeLimit } from "@pawl/core/tools";
import {
  type ChoiceError,
  type Chosen,
  EVENTS,
  type KnowledgeFailure,
  type KnowledgeSelection,
} from "../log/events.ts";
import type { LogSoFar } from "../log/read-log.ts";
import { choose } from "./choose.ts";
import { promptsFor } from "./prompt.ts";
import { SELECT, SELECT_DESCRIPTION, selectionSchema } from "./selection.ts";
import { keyOf, type Work } from "./work.ts";

/**
 * Asks the model to choose sources, and stores the choice. Returns an empty list if the model failed.
 *
 * @throws PawlError if the log cannot be written.
 */
export async function select<Deps>(
  work: Work<Deps>,
  context: RunContext<Deps>,
  log: LogSoFar,
): Promise<Chosen[]> {
  const { name, clock } = work;
  const startedAt = clock.now();
  const made = await tryToChoose(work, context, log);
  if (context.signal.aborted) return [];
  const durationMs = clock.now() - startedAt;
  const mine = { hook: name, run_id: context.runId, model: made.model };
  if ("cause" in made) {
    work.report(made.cause, context);
    const data: KnowledgeFailure = { ...mine, code: codeOf(made.cause) };
    const key = keyOf(work, context, "failed");
    await context.append({ type: EVENTS.failed, data: toJson(data), key, durationMs });
    return [];
  }
  const { selection, choice } = made;
  const isLoaded = (source: string) => log.loaded.some((one) => one.source === source);
  const data: KnowledgeSelection = {
    ...mine,
    reasoning: selection.reasoning,
    append_knowledge: choice.chosen,
    use_existing: selection.useExisting.filter(isLoaded),
    dropped: choice.dropped,
  };
  const key = keyOf(work, context, "selection");
  await context.append({ type: EVENTS.selection, data: toJson(data), key, durationMs });
  return choice.chosen;
}

/**
 * Asks the model and validates its choice. Errors are returned as `cause`, so that an error of the model is
 * not mistaken for one of the log.
 *
 * @throws PawlError if the log cannot be written.
 */
async function tryToChoose<Deps>(work: Work<Deps>, context: RunContext<Deps>, log: LogSoFar) {
  try {
    const { output: selection, model } = await ask(work, context, log);
    return { model, selection, choice: await choose(selection, work.byName, log.loaded) };
  } catch (error) {
    if (isLogFailure(error)) throw error;
    // The application gets what the model's client threw.
    const isWrapped = PawlError.is(error, "model_error") && error.cause !== undefined;
    const answered = PawlError.is(error) ? error.details.model : undefined;
    const model = typeof answered === "string" ? answered : work.model.id;
    return { model, cause: isWrapped ? error.cause : error };
  }
}

/** Asks once: the user waits, and can be answered without these data. */
async function ask<Deps>(work: Work<Deps>, context: RunContext<Deps>, log: LogSoFar) {
  const { model, sources, maxTokens, timeoutMs, clock } = work;
  const time = timeLimit({ signal: context.signal, timeoutMs, clock });
  try {
    return await context.askModel(model, {
      ...promptsFor(work, log),
      schema: selectionSchema(sources.map(({ name }) => name)),
      schemaName: SELECT,
      schemaDescription: SELECT_DESCRIPTION,
      ...{ maxTokens, reminders: 0, signal: time.signal, key: "selection" },
    });
  } finally {
    time.clear();
  }
}

function codeOf(cause: unknown): ChoiceError {
  if (cause instanceof TimeUp) return "timed_out";
  if (PawlError.is(cause, "unusable_answer"))
    return cause.details.reason === "refusal" ? "refused" : "invalid_answer";
  return PawlError.is(cause, "model_error") ? "model_error" : "failed";
}
