import { type TestDatabase, testDatabase } from "../../../../test/support/postgres.ts";

/** A database with a role of users, named after it: roles are the server's. */
export interface UsersDatabase extends TestDatabase {
  readonly users: string;
  /** One statement as PostgREST makes it: in a transaction with the role and the user's claims. */
  by(user: string, text: string, values?: readonly unknown[]): Promise<Record<string, unknown>[]>;
}

/** Makes the role, without any rights. */
export async function usersDatabase(): Promise<UsersDatabase> {
  const database = await testDatabase();
  const pool = database.pool();
  const users = `${new URL(database.url).pathname.slice(1)}_users`;
  await pool.query(`CREATE ROLE ${users} NOLOGIN`);
  return {
    ...database,
    users,
    async by(user, text, values = []) {
      const client = await pool.connect();
      try {
        await client.query(`BEGIN; SET LOCAL ROLE ${users}`);
        await client.query("SELECT set_config('request.jwt.claims', $1, true)", [
          JSON.stringify({ sub: user }),
        ]);
        const { rows } = await client.query(text, [...values]);
        await client.query("COMMIT");
        return rows;
      } catch (error) {
        await client.query("ROLLBACK");
        throw error;
      } finally {
        client.release();
      }
    },
    async drop() {
      await pool.query(`DROP OWNED BY ${users}; DROP ROLE ${users}`);
      await database.drop();
    },
  };
}

/** Adds the columns that the store of this version reads to a schema of an earlier version. */
export const NEWEST_COLUMNS =
  "ALTER TABLE agent_sessions ADD COLUMN wake_at timestamptz, ADD COLUMN lease_since timestamptz";
