import { type Agent, agent, type Hook, type ModelClient } from "@pawl/core";
import { initializer, unifiedContext } from "@pawl/knowledge";
import { dataSources, type TrainerDeps, userDataSections } from "../data/index.ts";
import { instructions } from "../prompt/instructions.ts";
import { trainerTools } from "../tools/index.ts";
import { modelChoice } from "./models.ts";
import { spoken } from "./spoken.ts";
import { taskData } from "./task-data.ts";

export interface TrainerOptions {
  /** The first one answers where a request asks for none. */
  models: readonly [ModelClient, ...ModelClient[]];
  /** Chooses the data for each request: a small, fast model. Without one the trainer fetches what it needs. */
  initializer?: ModelClient;
  /** How long that model may take, in milliseconds. Default: 8 s. */
  initializerTimeoutMs?: number;
  /** What else takes part in the trainer's runs. */
  hooks?: readonly Hook[];
}

/**
 * The personal trainer. It acts by tools alone, one at a time, for at most ten iterations.
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
  initializer: chooser,
  initializerTimeoutMs,
  hooks = [],
}: TrainerOptions): Agent<TrainerDeps> {
  const choosing =
    chooser &&
    initializer<TrainerDeps>({
      model: chooser,
      sources: dataSources(),
      guidance: taskData,
      spoken,
      ...(initializerTimeoutMs !== undefined && { timeoutMs: initializerTimeoutMs }),
    });
  return agent<TrainerDeps>({
    name: "trainer",
    version: "1",
    model: models[0],
    instructions,
    tools: trainerTools(),
    toolOnly: true,
    hooks: [modelChoice(models), ...(choosing ? [choosing] : []), ...hooks],
    limits: { turns: 10 },
    maxTokens: 8_192,
    userData: unifiedContext<TrainerDeps>({ sections: userDataSections() }),
  });
}
