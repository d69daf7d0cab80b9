import { PawlError, type RunContext, toJson } from "@pawl/core";
import { TimeUp, within } from "../base/within.ts";
import {
  type ChoiceError,
  type Chosen,
  EVENTS,
  type KnowledgeFailure,
  type KnowledgeSelection,
} from "../log/events.ts";
import type { LogSoFar } from "../log/read-log.ts";
import { askModel, type Bill, newBill, spendingOf } from "./ask-model.ts";
import { type Choice, choose } from "./choose.ts";
import { requestFor } from "./prompt.ts";
import { parseSelection, type Selection } from "./selection.ts";
import { keyOf, type Work } from "./work.ts";

/**
 * Has the model choose, and stores what comes of it before anything is done about it. Nothing is chosen where that fails.
 *
 * @throws what the log throws.
 */
export async function select<Deps>(
  work: Work<Deps>,
  context: RunContext<Deps>,
  log: LogSoFar,
): Promise<Chosen[]> {
  const { name, clock } = work;
  const startedAt = clock.now();
  const bill = newBill(work.model);
  const made = await tryToChoose(work, context, log, bill);
  if (context.signal.aborted) return [];
  const durationMs = clock.now() - startedAt;
  const spent = { by: name, ...spendingOf(bill) };
  // First: whoever asks again after a crash here is charged for both.
  if (spent.tokens.total > 0) await context.append({ type: "spending", data: spent, durationMs });
  const mine = { hook: name, run_id: context.runId, model: spent.model };
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

type Made = { selection: Selection; choice: Choice } | { choice?: never; cause: unknown };

/** What the model throws may look like a failure of the log, and is none. */
async function tryToChoose<Deps>(
  work: Work<Deps>,
  context: RunContext<Deps>,
  log: LogSoFar,
  bill: Bill,
): Promise<Made> {
  try {
    const selection = await selectionOf(work, context, log, bill);
    return { selection, choice: await choose(selection, work.byName, log.loaded) };
  } catch (cause) {
    return { cause };
  }
}

async function selectionOf<Deps>(
  work: Work<Deps>,
  { signal }: RunContext<Deps>,
  log: LogSoFar,
  bill: Bill,
): Promise<Selection> {
  const { model, timeoutMs, clock } = work;
  const request = requestFor(work, log);
  const { answer, isRefusal } = await within({ signal, timeoutMs, clock }, (own) =>
    askModel(model, request, { signal: own, bill }),
  );
  if (isRefusal) throw new NoChoice("refused", `${model.id} refused to choose.`);
  const selection = parseSelection(answer);
  if (selection === undefined)
    throw new NoChoice("invalid_answer", `What ${model.id} answered is no choice.`);
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
