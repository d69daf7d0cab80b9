import { type Json, type ToolContext, tool } from "@pawl/core";
import type { Skill } from "@pawl/knowledge";
import * as z from "zod";
import { skillOfType } from "../prompt/skills.ts";
import { activeArc } from "../sessions/active-arc.ts";
import { arcs, sessionTypes } from "../sessions/session-types.ts";

/** Creates the tool that begins an arc in an open conversation. Its result contains the arc's guidance. */
export function enterStructuredArc(skills: readonly Skill[]) {
  return tool({
    name: "enter_structured_arc",
    description:
      "Leads this open conversation into an arc with a shape of its own: opening or closing the day, mapping a life, or the weekly " +
      "check-in. Use it when the person wants that, not to steer them there. complete_session with the type arc leads back.",
    input: z.object({
      arc: z.enum(arcs),
      reason: z.string().max(300).optional().describe("Why now, in a few words."),
    }),
    category: "execute",
    status: { start: "Changing over…", done: "Ready" },
    idempotent: true,
    // Makes several calls of one turn run in order, so that only the first one begins an arc.
    dependsOn: ["enter_structured_arc"],
    execute: async ({ arc }, context: ToolContext) => {
      const active = await activeArc(context);
      if (active !== undefined) throw new Error(`The arc "${active}" is in progress. Complete it first.`);
      context.setMode(arc);
      const { writes } = sessionTypes[arc];
      return { success: true, arc, may_write: [...writes] };
    },
    // Only the model reads the skill's text: clients get the result, not the formatted text.
    format: (result) => withGuidance(result, skills),
  });
}

function withGuidance(result: Json, skills: readonly Skill[]): string {
  const entered = result as { readonly arc: (typeof arcs)[number] };
  const guidance = skills.find(({ name }) => name === skillOfType(entered.arc))?.text;
  return JSON.stringify({ ...entered, ...(guidance !== undefined && { guidance }) });
}
