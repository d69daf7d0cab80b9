import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { checkOptions, messageOf, PawlError } from "@pawl/core";
import { PARSE_SKILL, type ParseSkillOptions, parseSkill } from "./parse-skill.ts";
import type { Skill } from "./skill.ts";

/**
 * Loads every `<name>.md` in a folder as a skill, in the order of the names. Subfolders are ignored.
 *
 * @throws PawlError `config` if the folder cannot be read or a file is invalid. The message lists all invalid
 * files with their problems.
 *
 * @example
 * ```ts
 * import { mkdtemp, rm } from "node:fs/promises";
 * import { tmpdir } from "node:os";
 * import { join } from "node:path";
 * import { loadSkills } from "@pawl/knowledge/disk";
 *
 * const folder = await mkdtemp(join(tmpdir(), "skills-"));
 * console.log(await loadSkills(folder, { tools: ["show_options"] })); // []
 * await rm(folder, { recursive: true });
 * ```
 */
export async function loadSkills(directory: string, options: ParseSkillOptions = {}): Promise<Skill[]> {
  checkOptions("loadSkills()", { directory }, { directory: "string!" });
  checkOptions("loadSkills()", options, PARSE_SKILL);
  const names = await filesIn(directory);
  const settled = await Promise.allSettled(names.map((name) => read(directory, name, options)));
  const problems = settled.flatMap((outcome) =>
    outcome.status === "rejected" ? [messageOf(outcome.reason)] : [],
  );
  // biome-ignore lint/plugin: the developer reads the mistakes in all of the app's own skills.
  if (problems.length > 0) throw new PawlError("config", problems.join("\n"));
  return settled.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []));
}

const ENDING = /\.md$/i;

async function filesIn(directory: string): Promise<string[]> {
  try {
    const names = await readdir(directory);
    return names.filter((name) => ENDING.test(name) && !name.startsWith(".")).sort();
  } catch (cause) {
    throw new PawlError("config", `The folder of skills cannot be read: ${messageOf(cause)}`, { cause });
  }
}

async function read(directory: string, file: string, options: ParseSkillOptions): Promise<Skill> {
  const text = new TextDecoder("utf-8", { fatal: true });
  try {
    return parseSkill(text.decode(await readFile(join(directory, file))), file.replace(ENDING, ""), options);
  } catch (cause) {
    throw new PawlError("config", `${file}: ${messageOf(cause)}`, { cause });
  }
}
