import type { Pool } from "pg";

/** Returns how long the longest lease of a session in the database still lasts, in milliseconds. */
export async function longestLeaseMs(pool: Pool): Promise<number> {
  const { rows } = await pool.query(
    `SELECT extract(epoch FROM max(lease_expires_at) - clock_timestamp()) * 1000 AS ms
     FROM agent_sessions WHERE lease_holder IS NOT NULL`,
  );
  return Number(rows[0].ms ?? Number.NaN);
}
