import { type Artifact, type ToolContext, tool } from "@pawl/core";
import * as z from "zod";
import { named } from "../base/named.ts";
import { resultOf } from "./support.ts";

/**
 * The result of `message_notify_user`. `warning` is present if the artifact does not exist; the message is
 * shown without it.
 */
export interface Notified {
  success: true;
  message: string;
  artifact_id?: string;
  artifact?: Artifact;
  warning?: string;
}

/** Shows the user a message, with an artifact if `artifact_id` is given. */
export const messageNotifyUser = tool({
  name: "message_notify_user",
  description:
    "Shows the user a message, and does not wait for a reply. With artifact_id it also hands over what was made, e.g. a " +
    "workout as a card. The user sees nothing of what you make until you hand it over.",
  input: z.object({
    message: z.string().trim().min(1).max(8_000).describe("What the user reads. Markdown is fine."),
    artifact_id: z.string().trim().min(1).max(100).optional().describe("The artifact to hand over, art_…"),
  }),
  category: "communication",
  idempotent: true,
  execute: async ({ message, artifact_id }, { artifact }: ToolContext): Promise<Notified> => {
    if (artifact_id === undefined) return { success: true, message };
    const found = await artifact(artifact_id);
    if (found !== undefined) return { success: true, message, artifact_id, artifact: found };
    const warning = `This session has no artifact "${named(artifact_id, 100)}". The message was shown without it.`;
    return { success: true, message, artifact_id, warning };
  },
  format: (result) => {
    const { artifact, warning } = resultOf<Notified>(result);
    const handed =
      artifact && ` ${artifact.type} "${named(artifact.title)}" (${artifact.artifact_id}) was handed over.`;
    return `The user has been told.${handed ?? ""}${warning ? ` ${warning}` : ""}`;
  },
});
