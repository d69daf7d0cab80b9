import { type Agent, agent, type Hook, type ModelClient } from "@pawl/core";
import { type ContextReport, skillHook } from "@pawl/knowledge";
import { coachSignals } from "../context/signals.ts";
import { coachContext } from "../context/user-context.ts";
import type { CoachDeps } from "../deps/deps.ts";
import { sessionGate } from "../hooks/gate.ts";
import { type Summarize, sessionSummary } from "../hooks/summary.ts";
import { legacyGuard } from "../legacy/guard.ts";
import { withoutLegacy } from "../legacy/model.ts";
import { instructions } from "../prompt/instructions.ts";
import { coachSkills } from "../prompt/skills.ts";
import { completeSession } from "../tools/complete-session.ts";
import { enterStructuredArc } from "../tools/enter-structured-arc.ts";
import { saveFile } from "../tools/save-file.ts";
import { showOptions } from "../tools/show-options.ts";
import { showPulseCheck } from "../tools/show-pulse-check.ts";

export interface CoachOptions {
  model: ModelClient;
  /** What else takes part in the coach's runs. */
  hooks?: readonly Hook[];
  /** Says what came out of a session that was completed. Default: what the coach itself has said of it. */
  summarize?: Summarize;
  /** Told how large each context has become, and how long it took. */
  onContext?: (report: ContextReport) => void;
}

/** What a run of the coach may use up. */
export const coachLimits = { turns: 5, wallClockMs: 55_000, toolCalls: 15, errorTurns: 2 } as const;

/**
 * The life coach.
 *
 * @example
 * ```ts
 * import { memoryFiles, memoryStore, runtime } from "@pawl/core";
 * import { coach, coachDeps } from "@pawl/example-coach";
 * import { scriptedModel } from "@pawl/testing";
 *
 * const model = scriptedModel([{ text: "How was today?" }]);
 * const store = memoryStore();
 * const pawl = runtime({ agents: [coach({ model })], store, deps: coachDeps({ files: memoryFiles(), store }) });
 * const metadata = { type: "close_day" };
 * const { text } = await pawl.run("coach", { userId: "ada", input: "Good evening", metadata }).result;
 * console.log(text);
 * ```
 */
export function coach({ model, hooks = [], summarize, onContext }: CoachOptions): Agent<CoachDeps> {
  return agent<CoachDeps>({
    name: "coach",
    version: "2",
    model: withoutLegacy(model),
    instructions,
    tools: [saveFile, completeSession, enterStructuredArc(coachSkills), showPulseCheck, showOptions],
    hooks: [
      sessionGate(),
      skillHook<CoachDeps>({ skills: coachSkills, signals: coachSignals, atMost: 2 }),
      legacyGuard(),
      sessionSummary(summarize),
      ...hooks,
    ],
    limits: coachLimits,
    maxTokens: 4096,
    userData: coachContext(onContext),
  });
}
