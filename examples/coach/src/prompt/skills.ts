import { fileURLToPath } from "node:url";
import type { Skill } from "@pawl/knowledge";
import { loadSkills } from "@pawl/knowledge/disk";
import { toolNames } from "../sessions/session-types.ts";

/** The folder of the skills, one Markdown file each. */
const FOLDER = fileURLToPath(new URL("../../skills", import.meta.url));

/** All skills. Loading fails if one names a tool that does not exist. */
export const coachSkills: readonly Skill[] = await loadSkills(FOLDER, { tools: toolNames });

/** Returns the name of a session type's skill. Not every type has a skill. */
export function skillOfType(type: string): string {
  return type.replaceAll("_", "-");
}
