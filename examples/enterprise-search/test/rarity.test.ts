import type { PGlite } from "@electric-sql/pglite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  COMPANY_NOW,
  type Company,
  companySearch,
  type Document,
  drawCompany,
  drawQuestions,
  storeCompany,
} from "../src/index.ts";
import { callerOf, companyPglite, oracle, searchPglite } from "./support/company-database.ts";

const company = drawCompany({ documents: 1_000 });
const { people } = oracle(company);
const chen = people.find(({ email }) => email === "alex.chen@harborline.example")!;
const questions = drawQuestions(company, { seed: "rarity", count: 25 });

/** Words of the questions, each in a different number of mails that only Alex Chen may see. */
function hiddenMails(): Document[] {
  const [group] = company.workspaces.flatMap(({ groups }) =>
    groups.filter(({ kind, members }) => kind === "person" && members.includes(chen.id)),
  );
  const [mail] = company.documents.filter(({ source }) => source === "gmail");
  const words = questions.flatMap(({ text }) => text.match(/\p{L}{4,}/gu) ?? []);
  const places = { workspace: "harborline", owner: chen.id, participants: [], acl: [group!.id], links: [] };
  return Array.from({ length: 300 }, (_, n) => {
    const body = words.filter((_word, at) => n % ((at % 7) + 2) === 0).join(" ");
    return { ...mail!, ...places, id: `hidden-${n}`, thread: `hidden-${n}`, title: `Notes ${n}`, body };
  });
}

let without: PGlite;
let withThem: PGlite;
beforeAll(async () => {
  [without, withThem] = await Promise.all([companyPglite(), searchPglite()]);
  const more: Company = { ...company, documents: [...company.documents, ...hiddenMails()] };
  await storeCompany(withThem, "test", () => more);
}, 60_000);
afterAll(async () => {
  await Promise.all([without.close(), withThem.close()]);
});

describe("X4 F17 the rarity of words", () => {
  it("X4 F17 is the same with and without hidden documents, and so are the order and the scores", async () => {
    const [one, two] = [without, withThem].map((db) => companySearch(db, { now: () => COMPANY_NOW }));
    const others = people.filter(({ id }) => id !== chen.id);
    for (const [at, { text }] of questions.entries()) {
      const caller = callerOf(others[(at * 37) % others.length]!);
      const expected = await one!.search(caller, { text, limit: 20 });
      expect([text, await two!.search(caller, { text, limit: 20 })]).toEqual([text, expected]);
    }
    // People who may see them find them.
    const found = await two!.search(callerOf(chen), { text: "Notes", limit: 20 });
    expect(found.status === "ok" && found.hits.some(({ id }) => id.startsWith("hidden-"))).toBe(true);
  }, 60_000);
});
