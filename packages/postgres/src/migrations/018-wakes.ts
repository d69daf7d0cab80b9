import { WAKE_IS_DUE } from "../database/lease-is-over.ts";
import { lists } from "./017-leases.ts";

/**
 * Lists a session whose time to wake is too far away because the server's clock was set back. Rights stay as
 * they are.
 */
export const wakes: string = `${lists(WAKE_IS_DUE)}
DECLARE
  one regprocedure;
BEGIN
  -- Replacing a function drops its settings.
  FOR one IN SELECT p.oid FROM pg_proc p WHERE p.pronamespace = current_schema()::regnamespace
    AND p.proname IN ('pawl_rpc_recoverable', 'pawl_rpc_recoverable_after') LOOP
    EXECUTE format('ALTER FUNCTION %s SET search_path = %I, pg_temp', one, current_schema());
  END LOOP;
END;
`;
