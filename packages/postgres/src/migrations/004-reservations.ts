/**
 * Table for budgets and their reservations. An account has its own row with an empty id. That row has the
 * totals that its reservations have used and hold, and every change locks it first. So a grant reads one row,
 * however many reservations there are. Finalized reservations may be deleted: what they used stays in the
 * totals.
 *
 * A reservation holds its amount while `expires_at` is set and in the future. The next change to the account
 * releases expired ones. The time that counts is the moment when the lock was acquired.
 *
 * The functions run with the rights of their caller: the owner, or a role with `pawl_grant_service`. Roles
 * that already have this grant get the new rights here.
 */
export const reservations: string = `
CREATE TABLE agent_reservations (
  account text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  amount bigint NOT NULL DEFAULT 0 CHECK (amount >= 0),
  used bigint NOT NULL DEFAULT 0 CHECK (used >= 0),
  held bigint NOT NULL DEFAULT 0 CHECK (held >= 0),
  expires_at timestamptz,
  finalized boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (account, id),
  CHECK (expires_at IS NOT NULL OR held = 0 OR id = '')
);
CREATE UNIQUE INDEX agent_reservations_id ON agent_reservations (id) WHERE id <> '';
CREATE INDEX agent_reservations_held ON agent_reservations (account, expires_at) WHERE expires_at IS NOT NULL;

CREATE FUNCTION pawl_expire_account(p_account text, OUT stamp timestamptz, OUT expired integer) LANGUAGE plpgsql AS $pawl$
DECLARE
  due bigint;
BEGIN
  PERFORM FROM agent_reservations WHERE account = p_account AND id = '' FOR UPDATE;
  stamp := clock_timestamp();
  SELECT count(*), coalesce(sum(held), 0) INTO expired, due FROM agent_reservations
    WHERE account = p_account AND expires_at <= stamp;
  IF expired = 0 THEN
    RETURN;
  END IF;
  UPDATE agent_reservations SET held = 0, expires_at = NULL WHERE account = p_account AND expires_at <= stamp;
  UPDATE agent_reservations SET held = held - due WHERE account = p_account AND id = '';
END $pawl$;

CREATE FUNCTION pawl_reserve(p_account text, p_id text, p_amount bigint, p_limit bigint, p_ttl_ms integer,
  OUT outcome text, OUT available bigint) LANGUAGE plpgsql AS $pawl$
DECLARE
  head agent_reservations;
  one agent_reservations;
  stamp timestamptz;
  wanted bigint;
BEGIN
  INSERT INTO agent_reservations (account, id) VALUES (p_account, '') ON CONFLICT DO NOTHING;
  SELECT x.stamp INTO stamp FROM pawl_expire_account(p_account) x;
  SELECT * INTO head FROM agent_reservations WHERE account = p_account AND id = '';
  available := p_limit - head.used - head.held;
  SELECT * INTO one FROM agent_reservations WHERE id = p_id AND id <> '';
  IF one.account <> p_account THEN
    outcome := 'foreign';
  ELSIF one.finalized THEN
    outcome := 'finalized';
  ELSIF one.expires_at IS NOT NULL THEN
    outcome := 'granted';
  ELSE
    wanted := greatest(p_amount - coalesce(one.used, 0), 0);
    IF wanted > available THEN
      outcome := 'denied';
      RETURN;
    END IF;
    INSERT INTO agent_reservations AS r (account, id, amount, held, expires_at)
      VALUES (p_account, p_id, p_amount, wanted, stamp + p_ttl_ms * interval '1 millisecond')
      ON CONFLICT (id) WHERE id <> '' DO UPDATE
        SET amount = excluded.amount, held = excluded.held, expires_at = excluded.expires_at
        WHERE r.account = p_account;
    IF NOT FOUND THEN
      outcome := 'foreign';
      RETURN;
    END IF;
    UPDATE agent_reservations SET held = held + wanted WHERE account = p_account AND id = '';
    outcome := 'granted';
    available := available - wanted;
  END IF;
END $pawl$;

CREATE FUNCTION pawl_charge_reservation(p_id text, p_used bigint, p_then text, p_ttl_ms integer DEFAULT NULL)
RETURNS SETOF agent_reservations LANGUAGE plpgsql AS $pawl$
DECLARE
  one agent_reservations;
  stamp timestamptz;
  more bigint;
  was bigint;
BEGIN
  SELECT * INTO one FROM agent_reservations WHERE id = p_id AND id <> '';
  IF NOT FOUND THEN
    RETURN;
  END IF;
  SELECT x.stamp INTO stamp FROM pawl_expire_account(one.account) x;
  SELECT * INTO one FROM agent_reservations WHERE id = p_id AND id <> '';
  IF NOT FOUND THEN
    RETURN;
  END IF;
  IF one.finalized THEN
    RETURN NEXT one;
    RETURN;
  END IF;
  more := greatest(p_used - one.used, 0);
  was := one.held;
  one.used := one.used + more;
  IF p_then = 'renew' AND one.expires_at IS NOT NULL THEN
    one.held := greatest(one.amount - one.used, 0);
    one.expires_at := stamp + p_ttl_ms * interval '1 millisecond';
  ELSE
    one.held := 0;
    one.expires_at := NULL;
    one.finalized := p_then = 'finalize';
  END IF;
  UPDATE agent_reservations SET used = one.used, held = one.held, expires_at = one.expires_at, finalized = one.finalized
    WHERE account = one.account AND id = p_id;
  IF more > 0 OR one.held <> was THEN
    UPDATE agent_reservations SET used = used + more, held = held + one.held - was
      WHERE account = one.account AND id = '';
  END IF;
  RETURN NEXT one;
END $pawl$;

CREATE FUNCTION pawl_expire_reservations() RETURNS bigint LANGUAGE plpgsql AS $pawl$
DECLARE
  one text;
  total bigint := 0;
BEGIN
  FOR one IN SELECT DISTINCT account FROM agent_reservations WHERE expires_at <= clock_timestamp() ORDER BY account LOOP
    total := total + (SELECT expired FROM pawl_expire_account(one));
  END LOOP;
  RETURN total;
END $pawl$;

ALTER TABLE agent_reservations ENABLE ROW LEVEL SECURITY;

CREATE OR REPLACE FUNCTION pawl_grant_service(p_role name) RETURNS void LANGUAGE plpgsql AS $pawl$
DECLARE
  tables text[] := ARRAY['agent_sessions', 'agent_session_events', 'agent_session_blobs', 'agent_reservations'];
  one text;
BEGIN
  EXECUTE format('GRANT USAGE ON SCHEMA %I TO %I', current_schema(), p_role);
  EXECUTE format('GRANT SELECT ON pawl_migrations, agent_session_summaries, agent_daily_metrics TO %I', p_role);
  EXECUTE format('GRANT EXECUTE ON FUNCTION pawl_append(text, text, integer, integer, json, json, integer, text,
    integer, boolean, json), pawl_expire_account(text), pawl_reserve(text, text, bigint, bigint, integer),
    pawl_charge_reservation(text, bigint, text, integer), pawl_expire_reservations() TO %I', p_role);
  FOREACH one IN ARRAY tables || 'pawl_migrations'::text LOOP
    EXECUTE format('DROP POLICY IF EXISTS %I ON %I', one || '_of_' || p_role, one);
    EXECUTE format('CREATE POLICY %I ON %I TO %I USING (true) WITH CHECK (true)', one || '_of_' || p_role, one, p_role);
  END LOOP;
  FOREACH one IN ARRAY tables LOOP
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO %I', one, p_role);
  END LOOP;
END $pawl$;

REVOKE EXECUTE ON FUNCTION pawl_expire_account(text), pawl_reserve(text, text, bigint, bigint, integer),
  pawl_charge_reservation(text, bigint, text, integer), pawl_expire_reservations() FROM PUBLIC;

DECLARE
  one regprocedure;
  given name;
BEGIN
  FOREACH one IN ARRAY ARRAY['pawl_expire_account(text)', 'pawl_reserve(text, text, bigint, bigint, integer)',
    'pawl_charge_reservation(text, bigint, text, integer)', 'pawl_expire_reservations()', 'pawl_grant_service(name)'
  ]::regprocedure[] LOOP
    EXECUTE format('ALTER FUNCTION %s SET search_path = %I, pg_temp', one, current_schema());
  END LOOP;
  FOR given IN SELECT rolname FROM pg_roles WHERE rolname IN ('anon', 'authenticated') LOOP
    EXECUTE format('REVOKE ALL ON agent_reservations FROM %I', given);
    EXECUTE format('REVOKE ALL ON FUNCTION pawl_expire_account(text),
      pawl_reserve(text, text, bigint, bigint, integer), pawl_charge_reservation(text, bigint, text, integer),
      pawl_expire_reservations() FROM %I', given);
  END LOOP;
  FOR given IN
    SELECT unnest(roles) FROM pg_policies
      WHERE schemaname = current_schema() AND tablename = 'pawl_migrations' AND starts_with(policyname, 'pawl_migrations_of_')
    UNION SELECT rolname FROM pg_roles WHERE rolname = 'service_role'
  LOOP
    PERFORM pawl_grant_service(given);
  END LOOP;
END;
`;
