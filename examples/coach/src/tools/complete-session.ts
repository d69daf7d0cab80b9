import { type ToolContext, tool } from "@pawl/core";
import * as z from "zod";
import { dayOf } from "../base/day.ts";
import type { CoachDeps } from "../deps/deps.ts";
import { indexOf } from "../files/file-index.ts";
import { activeArc } from "../sessions/active-arc.ts";
import { CHECKIN_FOLDERS, nextCheckin } from "../sessions/check-in-status.ts";

/** The result of `complete_session`: completed now, completed earlier, or refused. */
export type Completed =
  | {
      success: true;
      completed: string;
      already_completed?: true;
      next_checkin_due: string | null;
      summary?: string;
    }
  | { success: false; error: "session_expired"; message: string };

/**
 * Completes the session or its current arc. The run continues, so that the coach can say goodbye. The hook
 * `session-summary` writes the session's summary after the run.
 */
export const completeSession = tool({
  name: "complete_session",
  description:
    "Marks this session (type session), or the arc that it is in (type arc), as complete. After an arc the open conversation " +
    "continues. Use it when the person says goodbye or has what they came for, and only once; " +
    "then say goodbye in a sentence or two. Do not use it to end a conversation that the person wants to continue.",
  input: z.object({
    type: z.enum(["session", "arc"]),
    summary: z.string().max(500).optional().describe("What came out of it, in one or two sentences."),
  }),
  category: "execute",
  status: { start: "Wrapping up…", done: "Complete" },
  idempotent: true,
  execute: async ({ type, summary }, context: ToolContext<CoachDeps>): Promise<Completed> => {
    const { files, now, timeZone, status } = context.deps.coach;
    const arc = await activeArc(context);
    if (type === "arc" && arc === undefined) {
      throw new Error(
        'No arc is in progress, so none can be completed. To close the session, use the type "session".',
      );
    }
    if ((await status()) === "expired") {
      const message = "This session has expired and cannot be completed. Everything that was saved is safe.";
      return { success: false, error: "session_expired", message };
    }
    const due = nextCheckin(await indexOf(files, CHECKIN_FOLDERS), dayOf(now(), timeZone)) ?? null;
    const already = type === "session" && (await isCompleted(context));
    if (arc !== undefined) context.setMode(null);
    if (type === "session") context.completeSession();
    return {
      success: true,
      completed: type === "arc" ? (arc ?? type) : type,
      ...(already && { already_completed: true as const }),
      next_checkin_due: due,
      ...(summary !== undefined && { summary }),
    };
  },
});

/** Checks whether this run has already completed its session. */
async function isCompleted({ read, callId }: Pick<ToolContext, "read" | "callId">): Promise<boolean> {
  let completed = false;
  for await (const event of read({ types: ["run_started", "tool_result"] })) {
    if (event.type === "run_started") completed = false;
    if (event.type !== "tool_result" || event.data.call_id === callId) continue;
    completed ||= event.data.tool_name === "complete_session" && event.data.session_status === "completed";
  }
  return completed;
}
