import { tool } from "@pawl/core";
import * as z from "zod";

/** Closes the session once the coach has said goodbye; the run goes on until then. */
export const completeSession = tool({
  name: "complete_session",
  description:
    "Marks this session as complete. Use it when the person says goodbye or has what they came for, and only once; " +
    "then say goodbye in a sentence or two. Do not use it to end a conversation that the person wants to go on with.",
  input: z.object({
    summary: z
      .string()
      .max(500)
      .optional()
      .describe("What came out of the session, in one or two sentences."),
  }),
  category: "execute",
  status: { start: "Wrapping up…", done: "Session complete" },
  idempotent: true,
  execute: ({ summary }, { completeSession }) => {
    completeSession();
    return { completed: true, ...(summary !== undefined && { summary }) };
  },
});
