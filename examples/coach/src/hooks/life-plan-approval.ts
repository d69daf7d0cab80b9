import { approval, type Hook } from "@pawl/core";
import type { CoachDeps } from "../deps/deps.ts";
import { filePlaces } from "../files/file-type.ts";
import { readMarkdown } from "../files/user-files.ts";
import type { SaveFileInput } from "../tools/save-file.ts";

const { folder, name } = filePlaces["life-plan"];
const LIFE_PLAN = `${folder}/${name}.md`;

/**
 * Asks the user before their life plan is replaced, because the old text would be lost. The first life plan
 * is saved without a question.
 */
export function lifePlanApproval(): Hook<CoachDeps> {
  return approval<CoachDeps>({
    name: "life-plan-approval",
    when: async ({ tool, input }, { deps }) =>
      tool.name === "save_file" &&
      (input as SaveFileInput).file_type === "life-plan" &&
      (await readMarkdown(deps.coach.files, LIFE_PLAN)) !== undefined,
  });
}
