import { inSchema, storeEvents } from "./006-append.ts";

/**
 * The append once more, and the status is decided where the row is locked: `expired` stays, and `completed`
 * does until another run begins or the session expires. Whoever appends has made the patch from what they had
 * seen before.
 */
export const status: string = inSchema(
  storeEvents(
    "CREATE OR REPLACE",
    `CASE WHEN s.status = 'expired' OR (s.status = 'completed'
            AND p_patch ->> 'status' <> 'expired' AND p_patch ->> 'open_run' IS NULL)
          THEN s.status ELSE coalesce(p_patch ->> 'status', s.status) END`,
  ),
);
