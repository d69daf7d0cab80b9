import * as z from "zod";

const id = z.string().trim().min(1).max(200);
const tokens = z.int().min(0).max(1_000_000_000);

const block = z
  .looseObject({ type: z.string().min(1) })
  .refine(({ type, text }) => type !== "text" || (typeof text === "string" && text.trim() !== ""), {
    message: "A text block must have a text: the API refuses empty ones.",
  });

const message = z.object({
  role: z.enum(["user", "assistant"]),
  content_blocks: z.array(block).min(1),
  content_text: z.string().optional(),
});

/** The body of `chat/preflight`. Only a service may name the user. */
export const preflightBody = z.object({
  message: z.string().trim().min(1).max(10_000),
  /** A session of the user. */
  session_id: id.optional(),
  /** The id of the session that the message begins, unless it exists. */
  new_session_id: id.optional(),
  /** The caller's own id of the request. A request that is repeated with it reserves once. */
  request_id: z.string().trim().min(1).max(400).optional(),
  replay_id: id.optional(),
  user_id: id.optional(),
});

const use = z.object({ reservation_id: z.string().min(1).max(900), tokens_used: tokens });

/** The body of `chat/renew`. With `again`, a reservation that was released is made again. */
export const renewBody = use.extend({ again: z.boolean().default(false) });

/** When the run of the messages began. Default: now. */
const begun_at = z.iso.datetime({ offset: true }).optional();

/** The body of `chat/record`. */
export const recordBody = use.extend({
  session_id: id.optional(),
  messages: z.array(message).min(1),
  begun_at,
});

/** The body of `chat/abort`. With `final`, the run is over, and its reservation cannot be made again. */
export const abortBody = use.extend({
  session_id: id.optional(),
  tokens_used: tokens.default(0),
  partial_messages: z.array(message).default([]),
  begun_at,
  final: z.boolean().default(false),
});

export type PreflightBody = z.infer<typeof preflightBody>;
export type RenewBody = z.infer<typeof renewBody>;
export type RecordBody = z.infer<typeof recordBody>;
export type AbortBody = z.infer<typeof abortBody>;
