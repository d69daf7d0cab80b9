import { DatabaseSync } from "node:sqlite";
import { onTestFinished } from "vitest";
import type { ObjectContext } from "../../src/index.ts";

/** The context of a Durable Object, over `node:sqlite`. Remembers the times to which its alarm was set. */
export interface TestContext extends ObjectContext {
  alarms: number[];
  /** Set it to let the alarm fail so many times. */
  failures: number;
}

export function objectContext(name: string | undefined = "ada"): TestContext {
  const db = new DatabaseSync(":memory:");
  onTestFinished(() => db.close());
  const context: TestContext = {
    alarms: [],
    failures: 0,
    id: { name },
    waitUntil: () => undefined,
    storage: {
      sql: {
        exec: (sql, ...values) => {
          const rows = db.prepare(sql).all(...values);
          return { toArray: () => rows };
        },
      },
      transactionSync: (work) => {
        db.exec("BEGIN");
        try {
          const result = work();
          db.exec("COMMIT");
          return result;
        } catch (error) {
          db.exec("ROLLBACK");
          throw error;
        }
      },
      async setAlarm(at) {
        if (context.failures > 0) {
          context.failures -= 1;
          throw new Error("no alarm");
        }
        context.alarms.push(at);
      },
    },
  };
  return context;
}
