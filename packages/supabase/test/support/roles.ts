import pg from "pg";
import type { TestDatabase } from "../../../../test/support/postgres.ts";

/** The role that PostgREST logs in with; every role that a token can name is granted to it. */
export const authenticator = { name: "authenticator", password: "authenticator" };

/**
 * Roles belong to the whole server, which test files share: the first one makes them, and they are never
 * dropped.
 */
const roles = `
DO $$ BEGIN
  PERFORM pg_advisory_xact_lock(20261121);
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'authenticator') THEN
    RETURN;
  END IF;
  CREATE ROLE anon NOLOGIN NOINHERIT;
  CREATE ROLE authenticated NOLOGIN NOINHERIT;
  CREATE ROLE service_role NOLOGIN NOINHERIT BYPASSRLS;
  CREATE ROLE authenticator LOGIN NOINHERIT PASSWORD '${authenticator.password}';
  GRANT anon, authenticated, service_role TO authenticator;
END $$`;

/** What a new database gives away by itself. */
const defaults = {
  /** Projects since 2026-10-30: nothing, not even what Postgres gives to everybody. */
  nothing: "ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC",
  /** Older ones: everything that is new in `public`, to everybody. */
  everything: `
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT ALL ON TABLES TO anon, authenticated, service_role;
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT ALL ON FUNCTIONS TO anon, authenticated, service_role;
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT ALL ON SEQUENCES TO anon, authenticated, service_role`,
};

/** Makes of an empty database one of a Supabase project: its roles, and what it grants them by default. */
export async function supabaseRoles(database: TestDatabase, given: keyof typeof defaults): Promise<void> {
  // Locks belong to a database, so all test files make the roles in the same one.
  await run(new URL("/postgres", database.url).href, roles);
  await run(
    database.url,
    `${defaults[given]}; GRANT USAGE ON SCHEMA public TO anon, authenticated, service_role`,
  );
}

async function run(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
