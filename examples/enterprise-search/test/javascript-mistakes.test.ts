import { randomUUID } from "node:crypto";
import { scriptedModel } from "@pawl/testing";
import { expect, it } from "vitest";
import { said } from "../../../test/support/mistakes.ts";
import * as example from "../src/index.ts";
import { chen } from "./support/agent-world.ts";
import { searchPglite } from "./support/company-database.ts";

// biome-ignore lint/suspicious/noExplicitAny: what plain JavaScript passes has no types
const js = example as any;
const model = scriptedModel([]);

it("U6 X4 what JavaScript may pass is refused", async () => {
  const db = await searchPglite();
  const search = js.companySearch(db);
  expect(
    await said(
      () => js.companySearch("postgres://localhost"),
      () => js.companySearch(db, { synonym: true }),
      () => js.agentStore("postgres://localhost"),
      () => js.storeCompany("postgres://localhost", "x", () => ({})),
      () => js.storeCompany(db, "x"),
      () => js.storeCompany(db, "x", () => ({}), { chunks: 1 }),
      () => js.drawCompany({ docs: 1_000 }),
      () => js.drawCompany({ documents: -1 }),
      () => js.embeddedCompany({ dataDir: 5, documents: "1000" }),
      () => js.searchAgent({ model, plannr: model }),
      () => js.searchAgent({ model: "claude" }),
      () => js.searchRules({ speed: 0 }),
      () => search.search(chen, {}),
      () => search.search({ workspace: "harborline" }, { text: "Q4" }),
      () => search.search(chen, { text: "Q4", ownr: "Alex" }),
      () => search.search(chen, { text: "Q4", timeRange: "yesterdayy" }),
      () => search.search(chen, { text: "Q4", time: { from: "yesterday" } }),
      () => search.search(chen, { text: "Q4", sources: ["mail"] }),
      () => search.open(chen, randomUUID()),
      () => search.people(chen, { name: "Alex" }),
      () => search.search(chen, { text: "Q4" }),
      () => search.open(chen, { id: "gmail-1" }),
      () => search.people(chen, {}),
    ),
  ).toMatchInlineSnapshot(`
    [
      "config: \`db\` of companySearch() must be a database: a Pool of pg, the \`sql\` of postgres.js, or a PGlite; got a string.",
      "config: companySearch() has no option "synonym". Did you mean \`synonyms\`?",
      "config: \`db\` of agentStore() must be a database: a Pool of pg, the \`sql\` of postgres.js, or a PGlite; got a string.",
      "config: \`db\` of storeCompany() must be a database: a Pool of pg, the \`sql\` of postgres.js, or a PGlite; got a string.",
      "config: storeCompany() needs \`draw\`, a function.",
      "config: storeCompany() has no option "chunks". Did you mean \`chunk\`?",
      "config: drawCompany() has no option "docs". The options of drawCompany() are seed, documents.",
      "config: \`documents\` of drawCompany() must be a whole number from 1,000 to 1,000,000; not -1.",
      "config: \`dataDir\` of embeddedCompany() must be a string; got a number. \`documents\` of embeddedCompany() must be a whole number from 1,000 to 1,000,000; got a string.",
      "config: searchAgent() has no option "plannr". Did you mean \`planner\`?",
      "config: \`model\` of searchAgent() must be a ModelClient, e.g. claude("claude-sonnet-5-5"); got a string.",
      "config: \`speed\` of searchRules() must be a number above 0; not 0.",
      "config: search() needs \`text\`, a string.",
      "config: The caller of search() needs \`workspaceId\`, a string. The caller of search() needs \`email\`, a string.",
      "config: search() has no option "ownr". Did you mean \`owner\`?",
      "config: search() has no option "timeRange". Use \`time: { from, to }\`, in milliseconds since 1970.",
      "config: \`from\` of \`time\` of search() must be a time in milliseconds since 1970; got a string.",
      "config: \`sources\` of search() must be a list of gmail, slack, calendar, drive; got a list.",
      "config: open() takes an object of options with \`id\`; got a string.",
      "config: people() has no option "name". The options of people() are text, department, team, excludedEmails, limit.",
      "config: The database has no company yet. Call storeCompany(db, …) first.",
      "config: The database has no company yet. Call storeCompany(db, …) first.",
      "config: The database has no company yet. Call storeCompany(db, …) first.",
    ]
  `);
  await db.close();
});

it.each([Number.NaN, -1, 0, 1.5, 21, Number.POSITIVE_INFINITY, "5"])(
  "U6 X4 a limit of %s is refused before the database is asked",
  async (limit) => {
    const search = js.companySearch({ query: async () => expect.unreachable("a statement") });
    const [one, two] = await said(
      () => search.search(chen, { text: "Q4", limit }),
      () => search.people(chen, { text: "Alex", limit }),
    );
    const given = typeof limit === "number" ? `not ${limit}` : "got a string";
    expect(one).toBe(`config: \`limit\` of search() must be a whole number from 1 to 20; ${given}.`);
    expect(two).toBe(`config: \`limit\` of people() must be a whole number from 1 to 20; ${given}.`);
  },
);

it("U6 X4 what is no number, or out of range, are refused before the database is asked", async () => {
  const db = { query: async () => expect.unreachable("a statement") };
  const search = js.companySearch(db);
  const numbers = [Number.NaN, -1, 1.5, Number.POSITIVE_INFINITY];
  expect(
    await said(
      ...numbers.map((start) => () => search.open(chen, { id: "gmail-1", start })),
      ...["from", "to"].map((end) => () => search.search(chen, { text: "Q4", time: { [end]: Number.NaN } })),
      ...[...numbers, 0].map((chunk) => () => js.storeCompany(db, "x", () => ({}), { chunk })),
    ),
  ).toEqual([
    ...numbers.map((given) => `config: \`start\` of open() must be a whole number from 0; not ${given}.`),
    ...["from", "to"].map(
      (end) =>
        `config: \`${end}\` of \`time\` of search() must be a time in milliseconds since 1970; not NaN.`,
    ),
    ...[...numbers, 0].map(
      (given) => `config: \`chunk\` of storeCompany() must be a whole number from 1; not ${given}.`,
    ),
  ]);
});
