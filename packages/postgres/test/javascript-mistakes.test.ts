import * as postgres from "@pawl/postgres";
import { embeddedStore } from "@pawl/postgres/embedded";
import { expect, it } from "vitest";
import { said } from "../../../test/support/mistakes.ts";

// biome-ignore lint/suspicious/noExplicitAny: what plain JavaScript passes has no types
const js = { ...postgres, embeddedStore } as any;
const url = "postgres://ada:secret@localhost/app";
const db = { query: async () => ({ rows: [] }), connect: async () => undefined };

it("U6 what JavaScript may pass is refused, and no message has the password of a URL", async () => {
  const store = await embeddedStore();
  const messages = await said(
    () => js.postgresStore(),
    () => js.postgresStore(url),
    () => js.postgresStore({ connectionString: url }),
    () => js.postgresBlobs(url),
    () => js.postgresReservations(url),
    () => js.migrate(url),
    () => js.postgresTail(url),
    () => js.postgresTail({ query: db.query }),
    () => js.postgresTail(db, { notify: true }),
    () => js.postgresTail(db, { channels: ["pawl"] }),
    () => js.copyLog(db),
    () => js.copyLog(db, db, { user: "ada" }),
    () => js.prune(db),
    () => js.prune(db, { days: 30 }),
    () => js.prune(db, { olderThan: "2026-01-01" }),
    () => js.prune(db, { olderThan: new Date(), batch: 0 }),
    () => js.prune(store, { olderThan: new Date() }),
    () => js.embeddedStore("./data"),
    () => js.embeddedStore({ directory: "./data" }),
  );
  await store.close();
  expect(messages).toMatchInlineSnapshot(`
    [
      "config: postgresStore() needs \`db\`, a database: a Pool of pg, the \`sql\` of postgres.js, or a PGlite.",
      "config: \`db\` of postgresStore() must be a database: a Pool of pg, the \`sql\` of postgres.js, or a PGlite; got a string.",
      "config: \`db\` of postgresStore() must be a database: a Pool of pg, the \`sql\` of postgres.js, or a PGlite; got an object.",
      "config: \`db\` of postgresBlobs() must be a database: a Pool of pg, the \`sql\` of postgres.js, or a PGlite; got a string.",
      "config: \`db\` of postgresReservations() must be a database: a Pool of pg, the \`sql\` of postgres.js, or a PGlite; got a string.",
      "config: \`db\` of migrate() must be a database: a Pool of pg, the \`sql\` of postgres.js, or a PGlite; got a string.",
      "config: \`db\` of postgresTail() must be a database that can listen: a Pool of pg, the \`sql\` of postgres.js, or a PGlite; got a string.",
      "config: \`db\` of postgresTail() must be a database that can listen: a Pool of pg, the \`sql\` of postgres.js, or a PGlite; got an object.",
      "config: \`notify\` of postgresTail() must be a database or false; got a boolean.",
      "config: postgresTail() has no option "channels". Did you mean \`channel\`?",
      "config: copyLog() needs \`to\`, a database: a Pool of pg, the \`sql\` of postgres.js, or a PGlite.",
      "config: copyLog() has no option "user". The options of copyLog() are userId, onSession.",
      "config: prune() takes an object of options with \`olderThan\`; got undefined.",
      "config: prune() has no option "days". Use \`olderThan\`, a Date. prune() needs \`olderThan\`, a Date.",
      "config: \`olderThan\` of prune() must be a Date; got a string.",
      "config: \`batch\` of prune() must be a whole number from 1; not 0.",
      "config: \`db\` of prune() is an embedded store; pass \`store.db\`, its database.",
      "config: embeddedStore() takes an object of options; got a string.",
      "config: embeddedStore() has no option "directory". Use \`dataDir\`.",
    ]
  `);
  expect(messages.join()).not.toContain("secret");
});
