import type { Database } from "@pawl/postgres";
import { ask } from "./ask.ts";
import { replays } from "./migrations/001-replays.ts";
import { notes } from "./migrations/002-notes.ts";
import { chat } from "./migrations/003-chat.ts";
import { previewTime } from "./migrations/004-preview-time.ts";

/** All steps, in order. New steps are appended; existing ones never change. */
const steps: readonly string[] = [replays, notes, chat, previewTime];

/**
 * Creates or updates the coach's tables, in the schema `rl_coach`. Call it at every start; several processes
 * may do so at once. Each step runs once, in the transaction that records it.
 */
export async function migrateCoach(db: Database): Promise<void> {
  for (let version = (await currentVersion(db)) + 1; version <= steps.length; version += 1) {
    try {
      await ask(db, onceOnly(version, steps[version - 1] as string));
    } catch (error) {
      // Another process may have applied the step in the meantime.
      if ((await currentVersion(db)) < version) throw error;
    }
  }
}

async function currentVersion(db: Database): Promise<number> {
  const [found] = await ask<{ exists: boolean }>(
    db,
    "SELECT to_regclass('rl_coach.migration') IS NOT NULL AS exists",
  );
  if (found?.exists !== true) return 0;
  const [row] = await ask<{ version: number }>(
    db,
    "SELECT coalesce(max(version), 0)::integer AS version FROM rl_coach.migration",
  );
  return row?.version ?? 0;
}

/** Builds one statement that runs a step unless it ran before. Concurrent callers wait until it ends. */
function onceOnly(version: number, step: string): string {
  return `DO $rl_coach_step$ BEGIN
PERFORM pg_advisory_xact_lock(7231961);
CREATE SCHEMA IF NOT EXISTS rl_coach;
CREATE TABLE IF NOT EXISTS rl_coach.migration (
  version integer PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now());
IF NOT EXISTS (SELECT FROM rl_coach.migration WHERE version = ${version}) THEN
${step}
INSERT INTO rl_coach.migration (version) VALUES (${version});
END IF;
END $rl_coach_step$`;
}
