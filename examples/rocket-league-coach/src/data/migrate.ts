import { migrate } from "@pawl/example-data-parts";
import type { Database } from "@pawl/postgres";
import { replays } from "./migrations/001-replays.ts";
import { notes } from "./migrations/002-notes.ts";
import { chat } from "./migrations/003-chat.ts";
import { previewTime } from "./migrations/004-preview-time.ts";

/**
 * Creates or updates the coach's tables, in the schema `rl_coach`. Call it at every start; several processes
 * may do so at once.
 */
export async function migrateCoach(db: Database): Promise<void> {
  await migrate(db, { schema: "rl_coach", lock: 7231961, steps: [replays, notes, chat, previewTime] });
}
