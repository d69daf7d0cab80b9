import { type AskOutcome, askModel, type ModelClient, PawlError, type RunContext, toJson } from "@pawl/core";
import { TimeUp, timeLimit } from "../base/within.ts";
import {
  type ChoiceError,
  type Chosen,
  EVENTS,
  type KnowledgeFailure,
  type KnowledgeSelection,
} from "../log/events.ts";
import type { LogSoFar } from "../log/read-log.ts";
import { type Choice, choose } from "./choose.ts";
import { requestFor } from "./prompt.ts";
import { answerIn, spendingOf } from "./read-answer.ts";
import { parseSelection, SELECT, type Selection } from "./selection.ts";
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
  const spent = made.asked && { by: name, ...spendingOf(made.asked) };
  // The cost is stored first. After a crash at this point the model is asked again, and both answers are
  // charged.
  if (spent !== undefined && spent.tokens.total > 0)
    await context.append({ type: "spending", data: spent, durationMs });
  const mine = { hook: name, run_id: context.runId, model: spent?.model ?? work.model.id };
  if (made.choice === undefined) {
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

type Made = { asked: AskOutcome | undefined } & (
  | { selection: Selection; choice: Choice }
  | { choice?: never; cause: unknown }
);

/**
 * Asks the model and validates its choice. Never rejects: errors are returned as `cause`, so that an error of
 * the model is not mistaken for one of the log.
 */
async function tryToChoose<Deps>(work: Work<Deps>, context: RunContext<Deps>, log: LogSoFar): Promise<Made> {
  let asked: AskOutcome | undefined;
  try {
    asked = await ask(work, context, log);
    const selection = selectionIn(asked, work.model);
    return { asked, selection, choice: await choose(selection, work.byName, log.loaded) };
  } catch (cause) {
    return { asked, cause };
  }
}

async function ask<Deps>(work: Work<Deps>, { signal }: RunContext<Deps>, log: LogSoFar): Promise<AskOutcome> {
  const { model, timeoutMs, clock } = work;
  const time = timeLimit({ signal, timeoutMs, clock });
  try {
    return await askModel(model, requestFor(work, log), { signal: time.signal });
  } finally {
    time.clear();
  }
}

function selectionIn(asked: AskOutcome, model: ModelClient): Selection {
  if (asked.failure !== undefined) throw asked.failure.cause;
  if (asked.stopReason === "refusal") throw new NoChoice("refused", `${model.id} refused to choose.`);
  const selection = parseSelection(answerIn(asked));
  if (selection === undefined)
    throw new NoChoice(
      "invalid_answer",
      `${model.id} did not answer with a choice: no call of ${SELECT} and no JSON with append_knowledge.`,
    );
  return selection;
}

class NoChoice extends Error {
  readonly code: ChoiceError;

  constructor(code: ChoiceError, message: string) {
    super(message);
    this.code = code;
  }
}

function codeOf(cause: unknown): ChoiceError {
  if (cause instanceof NoChoice) return cause.code;
  if (cause instanceof TimeUp) return "timed_out";
  return PawlError.is(cause, "model_error") ? "model_error" : "failed";
}
