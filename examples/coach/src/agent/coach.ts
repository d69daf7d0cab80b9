import { agent, type Hook, type ModelClient, resilient, summarize as summarizeContext } from "@pawl/core";
import type { Reservations } from "@pawl/core/store";
import { type ContextReport, skillHook } from "@pawl/knowledge";
import { coachSignals } from "../context/signals.ts";
import { coachContext } from "../context/user-context.ts";
import type { CoachDeps } from "../deps/deps.ts";
import { answerLength } from "../hooks/answer-length.ts";
import { dailyBudget } from "../hooks/daily-budget.ts";
import { sessionGate } from "../hooks/gate.ts";
import { lifePlanApproval } from "../hooks/life-plan-approval.ts";
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
  /** The model, without wrappers: the coach makes it {@link resilient}. */
  model: ModelClient;
  /** The model that answers while `model` keeps failing. Default: no fallback. */
  fallback?: ModelClient;
  /** Keeps the daily budget of each user. Default: no budget. */
  reservations?: Reservations;
  /** Further hooks for the coach's runs. */
  hooks?: readonly Hook[];
  /**
   * Summarizes a completed session, e.g. `modelSummary(model)`. Later contexts contain the last summaries.
   * Default: the summary that the model passed to `complete_session`.
   */
  summarize?: Summarize;
  /** Called after each context was built, with its size and the time that it took. */
  onContext?: (report: ContextReport) => void;
}

/** The limits of each run. */
export const coachLimits = { turns: 5, wallClockMs: 55_000, toolCalls: 15, errorTurns: 2 } as const;

/**
 * How long the model may be silent before its request is retried, in milliseconds. A run is limited to 55 s,
 * so this leaves time for the retry.
 */
const IDLE_MS = 15_000;

/** Above this many estimated tokens, the older part of a conversation is replaced by a summary. */
export const SUMMARIZE_ABOVE = 60_000;

/**
 * Creates the life coach.
 *
 * @example
 * ```ts
 * import { memoryFiles, memoryStore, runtime } from "@pawl/core";
 * import { coach, coachDeps } from "@pawl/example-coach";
 * import { scriptedModel } from "@pawl/testing";
 *
 * const model = scriptedModel([{ text: "How was today?" }]);
 * const store = memoryStore();
 * const pawl = runtime({
 *   agents: [coach({ model })],
 *   store,
 *   deps: coachDeps({ files: memoryFiles(), store }),
 * });
 * const metadata = { type: "close_day" };
 * const { text } = await pawl.run("coach", { userId: "ada", input: "Good evening", metadata }).result;
 * console.log(text);
 * ```
 */
export function coach(options: CoachOptions) {
  const { model, fallback, reservations, hooks = [], summarize, onContext } = options;
  const asked = resilient(model, { ...(fallback && { fallback }), idleWatchdog: { idleMs: IDLE_MS } });
  return agent({
    name: "coach",
    version: "3",
    model: withoutLegacy(asked),
    instructions,
    tools: [saveFile, completeSession, enterStructuredArc(coachSkills), showPulseCheck, showOptions],
    hooks: [
      sessionGate(),
      lifePlanApproval(),
      skillHook<CoachDeps>({ skills: coachSkills, signals: coachSignals, atMost: 2 }),
      legacyGuard(),
      answerLength(),
      ...(reservations ? [dailyBudget(reservations)] : []),
      // After the budget's hook: effects run in reverse order, so the summary runs first and the budget is
      // charged for it.
      sessionSummary(summarize),
      ...hooks,
    ],
    limits: coachLimits,
    // At a limit, the run gets one last turn for a closing word and does not end with an error.
    onLimit: "land",
    // A message that arrives during a run, e.g. from the phone, is read in the next turn.
    whenBusy: "queue",
    checkpointWhen: [summarizeContext({ model: withoutLegacy(asked), whenTokens: SUMMARIZE_ABOVE })],
    maxTokens: 4096,
    userData: { read: coachContext(onContext), per: "run" },
  });
}
