import { tool } from "@pawl/core";
import * as z from "zod";

/** Ends the run and completes the session. */
export const idle = tool({
  name: "idle",
  description:
    "Says that everything asked for is done, and ends your work. Tell the user with message_notify_user first: after this " +
    "they hear nothing more.",
  input: z.object({ reason: z.string().trim().min(1).max(500).describe("Why there is nothing left to do.") }),
  category: "communication",
  status: { start: "Wrapping up...", done: "All done" },
  idempotent: true,
  endsRun: "completed",
  execute: ({ reason }) => ({ success: true, idle: true, reason }),
  format: () => "Your work on this request has ended.",
});
