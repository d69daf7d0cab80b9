/** Functions for every role that may read sessions; row-level security limits what they return. */
const reads = ["explain", "events", "session", "sessions", "recoverable", "get_blob"];
/** Functions for services only. */
const writes = ["append", "create_session", "acquire", "renew", "release", "put_blob"];
/** Functions for users only, for their own sessions. */
const own = ["send_message", "answer"];

const names = (functions: readonly string[]) => functions.map((name) => `'pawl_rpc_${name}'`).join(", ");

/**
 * Rights on the functions of {@link rpc}. Only the roles named here may call them, whatever a database grants
 * by default: Supabase's older projects grant every new function to everybody, newer ones grant none.
 *
 * `pawl_grant_service` and `pawl_grant_users` grant rights on tables. `pawl_grant_rpc_service` and
 * `pawl_grant_rpc_users` grant rights on these functions, for roles that use PostgREST. Supabase's roles are
 * granted them at once.
 */
export const rpcAccess: string = `
CREATE FUNCTION pawl_grant_rpc(p_role name, p_names text[]) RETURNS void LANGUAGE plpgsql AS $pawl$
DECLARE
  one regprocedure;
BEGIN
  FOR one IN SELECT p.oid FROM pg_proc p
    WHERE p.pronamespace = current_schema()::regnamespace AND p.proname = ANY (p_names) LOOP
    EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO %I', one, p_role);
  END LOOP;
END $pawl$;

CREATE FUNCTION pawl_grant_rpc_service(p_role name) RETURNS void LANGUAGE plpgsql AS $pawl$
BEGIN
  PERFORM pawl_grant_rpc(p_role, ARRAY['pawl_user_id', ${names([...reads, ...writes])}]);
END $pawl$;

CREATE FUNCTION pawl_grant_rpc_users(p_role name) RETURNS void LANGUAGE plpgsql AS $pawl$
BEGIN
  PERFORM pawl_grant_rpc(p_role, ARRAY['pawl_user_id', ${names([...reads, ...own])}]);
END $pawl$;

DECLARE
  one regprocedure;
  other name;
BEGIN
  FOR one IN SELECT p.oid FROM pg_proc p WHERE p.pronamespace = current_schema()::regnamespace
    AND (starts_with(p.proname, 'pawl_rpc_') OR starts_with(p.proname, 'pawl_grant_rpc')) LOOP
    EXECUTE format('ALTER FUNCTION %s SET search_path = %I, pg_temp', one, current_schema());
    EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', one);
  END LOOP;
  FOR other IN SELECT rolname FROM pg_roles WHERE rolname IN ('anon', 'authenticated') LOOP
    FOR one IN SELECT p.oid FROM pg_proc p
      WHERE p.pronamespace = current_schema()::regnamespace AND starts_with(p.proname, 'pawl_') LOOP
      EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM %I', one, other);
    END LOOP;
  END LOOP;
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'authenticated') THEN
    PERFORM pawl_grant_users('authenticated');
    PERFORM pawl_grant_rpc_users('authenticated');
  END IF;
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'service_role') THEN
    PERFORM pawl_grant_rpc_service('service_role');
  END IF;
END;
`;
