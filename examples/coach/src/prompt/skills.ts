import { fileURLToPath } from "node:url";
import type { Skill } from "@pawl/knowledge";
import { loadSkills } from "@pawl/knowledge/disk";
import { toolNames } from "../sessions/session-types.ts";

/** The folder of the skills, one Markdown file each. */
const FOLDER = fileURLToPath(new URL("../../skills", import.meta.url));

/** All skills, checked against the existing tools. */
export const coachSkills: readonly Skill[] = await loadSkills(FOLDER, { tools: toolNames });

/** Returns the name of the skill for a type of session. There may be no skill of that name. */
export function skillOfType(type: string): string {
  return type.replaceAll("_", "-");
}
