import { migrate } from "@pawl/postgres";
import type pg from "pg";
import type { TestDatabase } from "../../support/database-on.ts";

/** A migrated database whose users send statements with their own rights, as PostgREST does. */
export interface UsersDatabase {
  readonly db: pg.Pool;
  by(userId: string, text: string, values?: readonly unknown[]): Promise<Record<string, unknown>[]>;
}

export async function usersDatabase(database: TestDatabase): Promise<UsersDatabase> {
  const pool = database.pool({ max: 8 });
  await migrate(pool);
  const role = `${new URL(database.url).pathname.slice(1)}_users`;
  await pool.query(`CREATE ROLE ${role} NOLOGIN`);
  await pool.query("SELECT pawl_grant_users($1)", [role]);
  return {
    db: pool,
    async by(userId, text, values = []) {
      const client = await pool.connect();
      try {
        await client.query(`BEGIN; SET LOCAL ROLE ${role}`);
        const claims = JSON.stringify({ sub: userId });
        await client.query("SELECT set_config('request.jwt.claims', $1, true)", [claims]);
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
  };
}
