import { checkOptions, jsonSchema, PawlError, type Tool, tool } from "@pawl/core";
import { fenced } from "../base/fenced.ts";
import { byName } from "../sources/data-source.ts";
import type { Skill } from "./skill.ts";

/**
 * Makes a tool with which the model loads the full text of a skill. Put the skills' summaries into the
 * agent's instructions with {@link skillSummaries}. Default name: `load_skill`.
 *
 * @throws PawlError `config` if the list of skills is empty or two skills have the same name.
 *
 * @example
 * ```ts
 * import { agent } from "@pawl/core";
 * import { parseSkill, skillSummaries, skillTool } from "@pawl/knowledge";
 * import { scriptedModel } from "@pawl/testing";
 *
 * const titles = ["Goal", "When to use", "Context needed", "Tools", "Constraints", "Guidance"];
 * const skills = [parseSkill(titles.map((title) => `## ${title}\nNone.`).join("\n"), "rest_day")];
 * const coach = agent({
 *   name: "coach",
 *   model: scriptedModel([{ text: "Rest." }]),
 *   instructions: `You are a coach. What you can do well:\n${skillSummaries(skills)}`,
 *   tools: [skillTool(skills)],
 * });
 * console.log([...coach.tools.keys()]); // [ "load_skill" ]
 * ```
 */
export function skillTool(skills: readonly Skill[], options: { name?: string } = {}): Tool {
  checkOptions("skillTool()", { skills }, { skills: "list!" });
  checkOptions<typeof options>("skillTool()", options, { name: "string" });
  const { name = "load_skill" } = options;
  const known = byName(skills, "skills");
  if (skills.length === 0) throw new PawlError("config", `"${name}" needs at least one skill.`);
  const texts = new Map(
    skills.map((skill) => [skill.name, fenced("skill", `${skill.name}\n\n${skill.text}`)]),
  );
  return tool({
    name,
    description:
      "Loads a skill: how to go about something, in full. Do so before you do what its summary is about.",
    input: jsonSchema<{ name: string }>({
      type: "object",
      properties: { name: { type: "string", enum: [...known.keys()] } },
      required: ["name"],
      additionalProperties: false,
    }),
    idempotent: true,
    maxResultChars: Math.max(...[...texts.values()].map(({ length }) => length)),
    execute: ({ name: wanted }) => texts.get(wanted),
  });
}
