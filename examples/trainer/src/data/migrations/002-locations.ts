/**
 * Creates the table of locations. An index allows at most one current location per user. A function changes
 * the current location. It takes a lock first, so that its two updates see what other transactions have
 * committed.
 */
export const locations = `
CREATE TABLE trainer.user_locations (
  user_id text NOT NULL,
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  name text NOT NULL,
  description text NOT NULL DEFAULT '',
  equipment json NOT NULL DEFAULT '[]',
  current_location boolean NOT NULL DEFAULT false
);
CREATE INDEX ON trainer.user_locations (user_id);
CREATE UNIQUE INDEX one_current_location ON trainer.user_locations (user_id) WHERE current_location;

CREATE FUNCTION trainer.set_current_location(p_user text, p_id uuid) RETURNS boolean
LANGUAGE plpgsql VOLATILE SET search_path = '' AS $set_current$
BEGIN
  PERFORM pg_catalog.pg_advisory_xact_lock(7231952, pg_catalog.hashtext(p_user));
  IF NOT EXISTS (SELECT FROM trainer.user_locations WHERE user_id = p_user AND id = p_id) THEN
    RETURN false;
  END IF;
  UPDATE trainer.user_locations SET current_location = false WHERE user_id = p_user AND current_location;
  UPDATE trainer.user_locations SET current_location = true WHERE user_id = p_user AND id = p_id;
  RETURN true;
END $set_current$;
`;
