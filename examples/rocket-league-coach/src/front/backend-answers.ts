import * as z from "zod";
import type { ChatMessage } from "../base/chat-message.ts";

// What the backend answers, as far as the front server reads it. It may be of another version, or another
// server may be at its address, so nothing is used before it was checked.

const tokens = z.number().int().min(0);

/** The answer of `budget`. */
export const budgetAnswer = z.object({ user_id: z.string().min(1) });

/** The answer of `chat/preflight`. The log is what the model reads, so `history` is not. */
export const preflightAnswer = z.object({ session_id: z.string(), reservation_id: z.string() });

/** The answer of `chat/renew`: a reservation as the backend has it. */
export const heldAnswer = z.object({
  /** Whether tokens are set aside for the run. */
  held: z.boolean(),
  tokens_used: tokens,
  estimated_tokens: tokens,
  ttl_ms: z.number().min(1),
});

/** The answer of `chat/record`. */
export const recordAnswer = z.object({ recorded: z.literal(true) });

/** The answer of `chat/abort`. */
export const abortAnswer = z.object({ aborted: z.literal(true) });

/** The answer of `chat/unsettled`. */
export const unsettledAnswer = z.object({
  turns: z.array(z.object({ reservation_id: z.string(), session_id: z.string(), user_id: z.string() })),
});

const message: z.ZodType<ChatMessage> = z.object({
  role: z.enum(["user", "assistant"]),
  content_blocks: z.array(z.looseObject({ type: z.string() })),
  content_text: z.string().optional(),
});

/** The answer of `sessions/:id/messages`. */
export const messagesAnswer = z.object({ messages: z.array(message) });

export type Held = z.infer<typeof heldAnswer>;
