import { describe, expect, it, onTestFinished } from "vitest";
import { testDatabase } from "../../../../test/support/postgres.ts";
import { migrate, postgresStore } from "../../src/index.ts";

const wanted = { id: "s1", userId: "ada", agent: "coach", create: {}, holder: "one", ttlMs: 1_000 };

describe("a schema that is older than the package", () => {
  it("E6 is named when a session is opened, with what to do", async () => {
    const database = await testDatabase();
    onTestFinished(() => database.drop());
    const db = database.pool();
    await migrate(db);
    await db.query("DROP FUNCTION pawl_rpc_open; DROP FUNCTION pawl_open");
    const opened = postgresStore(db).open?.(wanted);
    await expect(opened).rejects.toMatchObject({
      code: "store_unavailable",
      message: expect.stringMatching(/run migrate\(\) first\. .*pawl_open/),
    });
  });
});
