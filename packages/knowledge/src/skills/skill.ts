import { sanitize } from "@pawl/core";

/** Instructions for one kind of task, from a Markdown file. Made by {@link parseSkill}. */
export interface Skill {
  /** 1 to 64 of `a-z A-Z 0-9 _ -`. */
  readonly name: string;
  /** One line for the agent's instructions, at most 200 UTF-16 code units. */
  readonly summary: string;
  /** A message with one of these calls for the skill. */
  readonly keywords: readonly string[];
  readonly goal: string;
  readonly whenToUse: string;
  readonly contextNeeded: string;
  /** The names in the list of tools. */
  readonly tools: readonly string[];
  readonly constraints: string;
  readonly guidance: string;
  /** The whole file without its front matter: what the model reads. */
  readonly text: string;
}

/**
 * Formats one line per skill, for an agent's instructions.
 *
 * @example
 * ```ts
 * import { parseSkill, skillSummaries } from "@pawl/knowledge";
 *
 * const skill = parseSkill(
 *   [
 *     "Goal\nHelp to decide.",
 *     "When to use\nAt a crossroads.",
 *     "Context needed\nGoals.",
 *     "Tools\nNone.",
 *     "Constraints\nBe brief.",
 *     "Guidance\n- Ask.",
 *   ]
 *     .map((section) => `## ${section}`)
 *     .join("\n"),
 *   "decision_helper",
 * );
 * console.log(skillSummaries([skill])); // - decision_helper: Help to decide.
 * ```
 */
export function skillSummaries(skills: readonly Pick<Skill, "name" | "summary">[]): string {
  return skills.map(({ name, summary }) => `- ${name}: ${sanitize(summary)}`).join("\n");
}
