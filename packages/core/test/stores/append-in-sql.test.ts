import { expect, it } from "vitest";
import type { NewEvent } from "../../src/log/event.ts";
import { appendInSql, type SqlLog } from "../../src/stores/append-in-sql.ts";

const events: NewEvent[] = [{ type: "note", data: { text: "a" } }];

/** A log that refuses every append, and in which nothing speaks against one. */
function refusing(refuse: () => undefined): { log: SqlLog; tries: () => number } {
  let tries = 0;
  const log: SqlLog = {
    append: async () => {
      tries += 1;
      return refuse();
    },
    explain: async () => ({ lastSeq: 0, leaseHolder: null, leaseEpoch: 0, before: [], taken: undefined }),
  };
  return { log, tries: () => tries };
}

const message =
  'The append to session "s" was refused five times, and the log has no reason for it: append id, lease, afterSeq and keys fit.';

it("E2 an append that is refused without a reason is store_unavailable and says what was looked at", async () => {
  const { log, tries } = refusing(() => undefined);
  const appended = appendInSql(log, "s", events, { appendId: "1" });
  await expect(appended).rejects.toMatchObject({ code: "store_unavailable", message, cause: undefined });
  expect(tries()).toBe(5);
});

it("E2 an append that a unique index refuses without a reason has the database's error as its cause", async () => {
  const failure = Object.assign(new Error("refused"), { cause: { code: "23505" } });
  const { log, tries } = refusing(() => {
    throw failure;
  });
  const appended = appendInSql(log, "s", events, { appendId: "1" });
  await expect(appended).rejects.toMatchObject({ code: "store_unavailable", message, cause: failure });
  expect(tries()).toBe(5);
});
