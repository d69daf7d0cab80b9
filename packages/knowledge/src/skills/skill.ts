import { sanitize } from "@pawl/core";

/** Instructions for one kind of task, from a Markdown file. Made by {@link parseSkill}. */
export interface Skill {
  /** The skill's name: 1 to 64 characters of `a-z A-Z 0-9 _ -`. */
  readonly name: string;
  /** A summary in one line for the agent's instructions; at most 200 UTF-16 code units. */
  readonly summary: string;
  /** Words that load the skill if a message contains one of them. */
  readonly keywords: readonly string[];
  /** What the skill achieves. */
  readonly goal: string;
  /** When the agent should use the skill. */
  readonly whenToUse: string;
  /** What the agent must know before it uses the skill. */
  readonly contextNeeded: string;
  /** The names of the tools that the skill uses. */
  readonly tools: readonly string[];
  /** What the agent must not do. */
  readonly constraints: string;
  /** How to proceed. */
  readonly guidance: string;
  /** The text that the model reads: the whole file without its front matter. */
  readonly text: string;
}

/**
 * Lists skills for an agent's instructions, with one line of name and summary for each.
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
