import {
  type Clock,
  checkOptions,
  type Hook,
  type OptionKinds,
  type RunContext,
  systemClock,
} from "@pawl/core";
import { isLogFailure, within } from "@pawl/core/tools";
import { checkLimits } from "../base/clipped.ts";
import { errorReporter, type OnError } from "../base/failures.ts";
import { readLog } from "../log/read-log.ts";
import { byName } from "../sources/data-source.ts";
import type { Skill } from "./skill.ts";

/** Returns the names of the skills that a message needs, the most important first. */
export type SkillSignals<Deps = unknown> = (
  message: string,
  context: RunContext<Deps>,
) => readonly string[] | Promise<readonly string[]>;

/** Options of `skillHook()`. */
export interface SkillHookOptions<Deps = unknown> {
  /** The skills to choose from, e.g. those of `loadSkills()`. */
  skills: readonly Skill[];
  /**
   * Chooses skills in addition to those whose keywords match. It gets the run's context with `deps`, so it
   * can use more than the message.
   */
  signals?: SkillSignals<Deps>;
  /** The maximum number of skills that one message loads. Default: 3. */
  atMost?: number;
  /** Time limit of `signals`, in milliseconds. Default: 5,000. */
  timeoutMs?: number;
  /** The hook's name, unique among the agent's hooks. Default: `skills`. */
  name?: string;
  /** The clock for time limits. Default: the system's clock. */
  clock?: Clock;
  /**
   * Called if `signals` fails or returns an unknown skill. The run continues. Default: prints the error to
   * the console.
   */
  onError?: OnError;
}

const OPTIONS: OptionKinds<SkillHookOptions> = {
  skills: "list!",
  signals: "function",
  atMost: "number",
  timeoutMs: "number",
  name: "string",
  clock: "object",
  onError: "function",
};

/**
 * Makes a hook that loads the full text of a skill if the user's message has one of its keywords, or
 * `signals` chooses it. The text is stored as `knowledge` with the source `skill:<name>`. A skill that the
 * model can still read is not loaded again.
 *
 * @throws PawlError `config` if two skills have the same name, or a limit is not a whole number from 1.
 *
 * @example
 * ```ts
 * import { agent, memoryStore, runtime } from "@pawl/core";
 * import { parseSkill, skillHook } from "@pawl/knowledge";
 * import { scriptedModel } from "@pawl/testing";
 *
 * const titles = ["Goal", "When to use", "Context needed", "Tools", "Constraints", "Guidance"];
 * const text = titles.map((title) => `## ${title}\nNone.`).join("\n");
 * const skills = [parseSkill(`---\nkeywords: [tired]\n---\n${text}`, "rest_day")];
 * const model = scriptedModel([{ text: "Rest." }]);
 * const coach = agent({
 *   name: "coach",
 *   model,
 *   instructions: "You are a coach.",
 *   hooks: [skillHook({ skills })],
 * });
 * const store = memoryStore();
 * const pawl = runtime({ agents: [coach], store });
 * const { sessionId } = await pawl.run("coach", { userId: "ada", input: "I am so tired." }).result;
 * for await (const { data } of store.read(sessionId, { types: ["knowledge"] })) console.log(data);
 * // { source: "skill:rest_day" … }
 * ```
 */
export function skillHook<Deps = unknown>(options: SkillHookOptions<Deps>): Hook<Deps> {
  checkOptions("skillHook()", options, OPTIONS);
  const { skills, signals, atMost = 3, timeoutMs = 5_000, name = "skills", clock = systemClock } = options;
  const known = byName(skills, "skills");
  const words = skills.flatMap(({ name: skill, keywords }) =>
    keywords.map((word) => [skill, patternOf(word)] as const),
  );
  const report = errorReporter(name, options.onError);
  checkLimits(`"${name}"`, { atMost, timeoutMs });

  const signalled = async (message: string, context: RunContext<Deps>): Promise<string[]> => {
    if (signals === undefined) return [];
    const { signal } = context;
    try {
      const named = await within({ signal, timeoutMs, clock }, async () => [
        ...(await signals(message, context)),
      ]);
      const strange = named.filter((one) => !known.has(one));
      if (strange.length > 0) report(new Error(`There is no skill "${strange.join('", "')}".`), context);
      return named;
    } catch (cause) {
      if (!signal.aborted) report(cause, context);
      return [];
    }
  };
  const load = async (context: RunContext<Deps>): Promise<void> => {
    const { messages, loaded } = await readLog(context, name);
    if (messages.length === 0) return;
    const message = messages.join("\n\n");
    const byWord = words.flatMap(([skill, pattern]) => (pattern.test(message) ? [skill] : []));
    const wanted = new Set([...(await signalled(message, context)), ...byWord]);
    // Skills that this run loaded before a crash are counted in `atMost` too.
    const before = new Set(loaded.flatMap(({ source, seq }) => (seq < context.run.seq ? [source] : [])));
    const fresh = [...wanted].flatMap((one) => (before.has(sourceOf(one)) ? [] : (known.get(one) ?? [])));
    for (const skill of fresh.slice(0, atMost)) {
      if (context.signal.aborted) return;
      const source = sourceOf(skill.name);
      const key = `knowledge:${name}:${context.runId}:${source}`;
      await context.append({ type: "knowledge", data: { source, data: skill.text }, key });
    }
  };
  return {
    name,
    beforeRun: async (context) => {
      try {
        await load(context);
      } catch (cause) {
        if (isLogFailure(cause)) throw cause;
        if (!context.signal.aborted) report(cause, context);
      }
      return undefined;
    },
  };
}

function sourceOf(skill: string): string {
  return `skill:${skill}`;
}

/**
 * Returns a pattern that matches a keyword as whole words, in any case and with any white space between them.
 */
function patternOf(keyword: string): RegExp {
  const words = keyword.trim().split(/\s+/);
  const literal = words.map((word) => word.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")).join("\\s+");
  return new RegExp(`(?<![\\p{L}\\p{N}_])${literal}(?![\\p{L}\\p{N}_])`, "iu");
}
