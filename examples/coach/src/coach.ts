import { type Agent, agent, type Hook, type ModelClient } from "@pawl/core";
import type { CoachDeps } from "./deps.ts";
import { instructions } from "./instructions.ts";
import { completeSession } from "./tools/complete-session.ts";
import { saveFile } from "./tools/save-file.ts";
import { showOptions } from "./tools/show-options.ts";

export interface CoachOptions {
  model: ModelClient;
  /** What else takes part in the coach's runs. */
  hooks?: readonly Hook[];
}

/**
 * The life coach.
 *
 * @example
 * ```ts
 * import { memoryStore, runtime } from "@pawl/core";
 * import { coach } from "@pawl/example-coach";
 * import { scriptedModel } from "@pawl/testing";
 *
 * const model = scriptedModel([{ text: "Good morning. What is on for today?" }]);
 * const pawl = runtime({ agents: [coach({ model })], store: memoryStore(), deps: () => ({ dir: "notes" }) });
 * const { text } = await pawl.run("coach", { userId: "ada", input: "Good morning" }).result;
 * console.log(text);
 * ```
 */
export function coach({ model, hooks = [] }: CoachOptions): Agent<CoachDeps> {
  return agent<CoachDeps>({
    name: "coach",
    version: "1",
    model,
    instructions,
    tools: [saveFile, showOptions, completeSession],
    hooks,
    limits: { turns: 5 },
    maxTokens: 4096,
  });
}
