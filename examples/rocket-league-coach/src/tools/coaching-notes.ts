import { type Tool, type ToolContext, tool } from "@pawl/core";
import * as z from "zod";
import type { CoachingNote, CoachingNotes } from "../base/shapes.ts";
import type { CoachDeps } from "../data/index.ts";
import { replayId, TIMEOUT_MS, withData } from "./support.ts";

const topic = z.string().trim().min(1).max(60);
const NOTES = 10;

/** Keeps a note about the user for later conversations, once for each call. */
export const saveCoachingNote: Tool<CoachDeps> = tool({
  name: "save_coaching_note",
  description:
    "Keeps a note about the user for later conversations: a goal they named, an exercise that you agreed on, what to look at next time. " +
    "Only what still matters in a week. Not for statistics, which the other tools know.",
  input: z.object({
    topic: topic.describe("One or two words, e.g. boost, rotation, goals."),
    text: z.string().trim().min(1).max(2_000).describe("The note, in one to three sentences."),
    replay_id: replayId.optional().describe("The replay that it is about, if it is about one."),
  }),
  category: "notes",
  status: { start: "Writing that down...", done: "Noted" },
  idempotent: true,
  timeoutMs: TIMEOUT_MS,
  execute: async (
    { topic, text, replay_id },
    { userId, idempotencyKey, deps }: ToolContext<CoachDeps>,
  ): Promise<CoachingNote> =>
    await withData(() =>
      deps.coach.saveNote(userId, { callKey: idempotencyKey, topic, text, replayId: replay_id }),
    ),
});

/** Reads the notes about the user. */
export const getCoachingNotes: Tool<CoachDeps> = tool({
  name: "get_coaching_notes",
  description:
    "Reads your notes from earlier conversations with this user, newest first. Read them before you give a plan. An empty list means " +
    "that there are none.",
  input: z.object({
    topic: topic.optional().describe("Only notes on this topic. Default: all."),
    limit: z.int().min(1).max(50).optional().describe(`How many notes, 1 to 50. Default: ${NOTES}.`),
  }),
  category: "notes",
  status: { start: "Reading my notes...", done: "Notes read" },
  idempotent: true,
  repeatable: true,
  timeoutMs: TIMEOUT_MS,
  execute: async (
    { topic, limit = NOTES },
    { userId, deps }: ToolContext<CoachDeps>,
  ): Promise<CoachingNotes> => ({
    notes: await withData(() => deps.coach.notes(userId, { topic, limit })),
  }),
});
