import { describe, expect, it, onTestFinished } from "vitest";
import { testDatabase } from "../../../../test/support/postgres.ts";
import { migrate, migrations } from "../../src/index.ts";

describe("migrate()", () => {
  for (const isolation of ["read committed", "repeatable read", "serializable"]) {
    it(`E6 takes each step once by processes that start together, where transactions are ${isolation}`, async () => {
      const database = await testDatabase({ default_transaction_isolation: isolation });
      onTestFinished(() => database.drop());
      const pools = [1, 2, 3].map(() => database.pool({ max: 1 }));
      await Promise.all(pools.map((pool) => migrate(pool)));
      const { rows } = await database.pool().query("SELECT version FROM pawl_migrations ORDER BY version");
      expect(rows.map(({ version }) => version)).toEqual(migrations.map(({ version }) => version));
    });
  }

  it("E6 reports a step that failed for another reason", async () => {
    const database = await testDatabase();
    onTestFinished(() => database.drop());
    const pool = database.pool();
    await pool.query("CREATE TABLE agent_sessions (id integer)");
    await expect(migrate(pool)).rejects.toMatchObject({ code: "store_unavailable" });
  });
});
