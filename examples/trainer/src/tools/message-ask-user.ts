import { tool } from "@pawl/core";
import * as z from "zod";

/** Asks the user and ends the run. The user's next message is the reply. */
export const messageAskUser = tool({
  name: "message_ask_user",
  description:
    "Asks the user a question and ends your work until they reply; the reply is their next message. Give options where a " +
    "tap is easier than typing. The user may answer in other words.",
  input: z.object({
    question: z.string().trim().min(1).max(1_000),
    options: z
      .array(z.string().trim().min(1).max(120))
      .max(6)
      .optional()
      .describe("Two to five short replies."),
  }),
  category: "communication",
  idempotent: true,
  endsRun: "suspended",
  execute: ({ question, options = [] }) => ({
    success: true,
    question,
    options: [...new Set(options)],
    awaiting_response: true,
  }),
  format: () => "The question is shown to the user. Their next message is the reply.",
});
