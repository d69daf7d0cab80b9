import type { PGlite } from "@electric-sql/pglite";
import { afterAll, beforeAll, expect, it } from "vitest";
import { COMPANY_NOW, companySearch, drawCompany, storeCompany } from "../src/index.ts";
import { companyPglite } from "./support/company-database.ts";

let db: PGlite;
beforeAll(async () => {
  db = await companyPglite();
}, 60_000);
afterAll(() => db.close());

const alex = { workspaceId: "harborline", email: "alex.chen@harborline.example" };

it("X4 no entries wait to be merged into the text indexes: each search would read them", async () => {
  const merged = "gin_clean_pending_list('enterprise_search.";
  const { rows } = await db.query(
    `SELECT ${merged}documents_words')::integer AS documents, ${merged}word_spelling')::integer AS words`,
  );
  expect(rows).toEqual([{ documents: 0, words: 0 }]);
});

it("X4 the words of a company that an earlier version has stored are listed again, with their groups", async () => {
  const listed = async () =>
    (await db.query("SELECT word, documents, acl FROM enterprise_search.word ORDER BY workspace, word")).rows;
  const before = await listed();
  await db.exec(`ALTER TABLE enterprise_search.word DROP COLUMN acl;
    DELETE FROM enterprise_search.migration WHERE version = 3`);
  await storeCompany(db, "test", () => drawCompany({ documents: 1_000 }));
  expect(await listed()).toEqual(before);
  const search = companySearch(db, { now: () => COMPANY_NOW });
  const found = await search.search(alex, { text: "Q4 pipelien" });
  expect(found.status === "ok" && found.hits[0]?.title).toBe("Where the Q4 pipeline stands");
});
