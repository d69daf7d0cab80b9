import { inSchema, storeEvents } from "./006-append.ts";

/**
 * Decides a session's status while its row is locked: `expired` stays, and `completed` stays until another
 * run begins or the session expires. The patch of an append may be based on a stale status.
 */
export const status: string = inSchema(
  storeEvents(
    "CREATE OR REPLACE",
    `CASE WHEN s.status = 'expired' OR (s.status = 'completed'
            AND p_patch ->> 'status' <> 'expired' AND p_patch ->> 'open_run' IS NULL)
          THEN s.status ELSE coalesce(p_patch ->> 'status', s.status) END`,
  ),
);
