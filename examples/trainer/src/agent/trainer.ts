import { agent, dropOldResults, type Hook, type ModelClient, resilient } from "@pawl/core";
import type { Reservations } from "@pawl/core/store";
import { initializer, unifiedContext } from "@pawl/knowledge";
import { RESULT_TAG } from "../base/named.ts";
import { dataSources, type TrainerDeps, userDataSections } from "../data/index.ts";
import { instructions } from "../prompt/instructions.ts";
import { trainerTools } from "../tools/index.ts";
import { dailyBudget } from "./daily-budget.ts";
import { modelChoice } from "./models.ts";
import { spoken } from "./spoken.ts";
import { taskData } from "./task-data.ts";

export interface TrainerOptions {
  /**
   * The models that a request may choose; the first one is the default. Pass clients without wrappers: the
   * trainer makes each one {@link resilient}.
   */
  models: readonly [ModelClient, ...ModelClient[]];
  /**
   * The model that answers while the chosen model keeps failing. It should support forced tool calls;
   * otherwise the trainer cannot force a call with any of its models. Default: no fallback.
   */
  fallback?: ModelClient;
  /** Keeps the daily budget of each user. Default: no budget. */
  reservations?: Reservations;
  /**
   * A small, fast model that chooses the data for each request. Default: the trainer itself calls
   * `fetch_data`.
   */
  initializer?: ModelClient;
  /** How long the initializer may take, in milliseconds. Default: 8 s. */
  initializerTimeoutMs?: number;
  /** Further hooks for the trainer's runs. */
  hooks?: readonly Hook[];
}

/** Above this many estimated tokens of context, old results (mostly fetched data) are replaced by notes. */
export const DROP_RESULTS_ABOVE = 60_000;

/**
 * Creates the personal trainer. It acts only through tools, one at a time, for at most ten turns a run.
 *
 * @example
 * ```ts
 * import { memoryStore, runtime } from "@pawl/core";
 * import { embeddedStore } from "@pawl/postgres/embedded";
 * import { trainer, trainerData } from "@pawl/example-trainer";
 * import { scriptedModel } from "@pawl/testing";
 *
 * const model = scriptedModel([
 *   { tools: [{ name: "message_notify_user", input: { message: "Good morning." } }] },
 *   { tools: [{ name: "idle", input: { reason: "Greeted." } }] },
 * ]);
 * const database = await embeddedStore();
 * const data = await trainerData(database.db);
 * const pawl = runtime({
 *   agents: [trainer({ models: [model] })],
 *   store: memoryStore(),
 *   deps: () => ({ trainer: data }),
 * });
 * const { actions } = await pawl.run("trainer", { userId: "ada", input: "Good morning" }).result;
 * console.log(actions.map(({ tool }) => tool)); // message_notify_user, idle
 * await database.close();
 * ```
 */
export function trainer({
  models,
  fallback,
  reservations,
  initializer: chooser,
  initializerTimeoutMs,
  hooks = [],
}: TrainerOptions) {
  const guarded = (model: ModelClient): ModelClient =>
    resilient(model, { ...(fallback && fallback.id !== model.id && { fallback }) });
  const [first, ...others] = models;
  const asked = [guarded(first), ...others.map(guarded)] as const;
  // The initializer has no retries. If it fails, the trainer fetches the data itself, which is faster than a
  // retry.
  const choosing =
    chooser &&
    initializer<TrainerDeps>({
      model: chooser,
      sources: dataSources(),
      guidance: taskData,
      spoken,
      ...(initializerTimeoutMs !== undefined && { timeoutMs: initializerTimeoutMs }),
    });
  return agent({
    name: "trainer",
    version: "1",
    model: asked[0],
    instructions,
    tools: trainerTools(),
    toolOnly: true,
    hooks: [
      modelChoice(asked),
      ...(choosing ? [choosing] : []),
      ...(reservations ? [dailyBudget(reservations)] : []),
      ...hooks,
    ],
    limits: { turns: 10 },
    // The workout is folded from the log, so removing results from the context does not change it.
    checkpointWhen: [dropOldResults({ whenTokens: DROP_RESULTS_ABOVE })],
    maxTokens: 8_192,
    resultTag: RESULT_TAG,
    userData: { read: unifiedContext<TrainerDeps>({ sections: userDataSections() }) },
  });
}
