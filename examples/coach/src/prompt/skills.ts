import { fileURLToPath } from "node:url";
import type { Skill } from "@pawl/knowledge";
import { loadSkills } from "@pawl/knowledge/disk";
import { toolNames } from "../sessions/session-types.ts";

/** Where the skills are, one Markdown file each. */
const FOLDER = fileURLToPath(new URL("../../skills", import.meta.url));

/** All of them, checked against the tools that there are. */
export const coachSkills: readonly Skill[] = await loadSkills(FOLDER, { tools: toolNames });

/** The name of the skill that a type of session is about, if there is one. */
export function skillOfType(type: string): string {
  return type.replaceAll("_", "-");
}
