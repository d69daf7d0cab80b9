import type { PGlite } from "@electric-sql/pglite";
import { randomFrom, sample } from "@pawl/example-data-parts";
import type { Queryable } from "@pawl/postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { soak } from "../../../test/support/soak.ts";
import { COMPANY_NOW, type Company, companySearch, drawCompany, storeCompany } from "../src/index.ts";
import { oracle, searchPglite } from "./support/company-database.ts";
import { hiddenFrom } from "./support/hidden-company.ts";
import { type Ask, randomAsks } from "./support/random-asks.ts";

const DOCUMENTS = soak(1_000, 10_000);
const CALLERS = soak(3, 12);
const ASKS = soak(60, 700);
const seed = String(soak(3, Date.now()));

const company = drawCompany({ documents: DOCUMENTS });
const random = randomFrom(seed);
const { people } = oracle(company);
const callers = ["harborline", "harborline", "lumen"].flatMap((id, at, { length }) => {
  const share = people.filter((one) => one.workspace === id && one.id % length === at);
  return sample(random, share, CALLERS / length);
});

const databases: PGlite[] = [];
beforeAll(async () => {
  databases.push(await searchPglite(), await searchPglite());
}, 60_000);
afterAll(async () => {
  await Promise.all(databases.map((db) => db.close()));
});

/** Fills a database anew, and returns what each ask finds, with the statements that it takes. */
async function answersOf(db: PGlite, stored: Company, asks: readonly Ask[]): Promise<Map<string, unknown>> {
  await db.exec(`DO $$ BEGIN IF to_regclass('enterprise_search.word') IS NOT NULL THEN
    TRUNCATE enterprise_search.data_set, enterprise_search.documents, enterprise_search.word,
      enterprise_search.member, enterprise_search.team, enterprise_search.person; END IF; END $$`);
  await storeCompany(db, "test", () => stored);
  const statements: string[] = [];
  const noting: Queryable = {
    query: async (text, values) => {
      statements.push(text);
      return await db.query(text, values);
    },
  };
  const search = companySearch(noting, { now: () => COMPANY_NOW });
  const answers = new Map<string, unknown>();
  for (const { asked, of } of asks) {
    const answer = await of(search);
    answers.set(asked, { answer, statements: statements.splice(0) });
  }
  return answers;
}

/** A company of alice and bob. Its documents have these texts, and each may be seen by one of its groups. */
function smallCompany(texts: readonly { id: string; body: string; group: string }[]): Company {
  const person = (id: number, first: string) => ({
    ...{ id, first, workspace: "w", last: "Ho", email: `${first}@w` },
    ...{ department: "d", team: "t", role: "r" },
  });
  const groups = { everyone: [1, 2], alice: [1], bob: [2] };
  const names = Object.keys(groups);
  const documents = texts.map(({ id, body, group }) => ({
    ...{ id, body, workspace: "w", source: "drive", thread: id, title: "Note", place: "/", kind: "document" },
    ...{ owner: 1, participants: [], at: COMPANY_NOW, acl: [names.indexOf(group) + 1], links: [] },
  }));
  const workspace = {
    ...{ id: "w", people: [person(1, "alice"), person(2, "bob")] },
    groups: Object.entries(groups).map(([name, members], at) => ({
      ...{ id: at + 1, workspace: "w", name, members },
      kind: name === "everyone" ? "everyone" : "person",
    })),
  };
  return { seed: "small", workspaces: [workspace], documents, facts: [] } as unknown as Company;
}

/** What alice finds by a text in both databases: the first has all documents. */
async function foundBy(text: string, all: Company, visible: Company): Promise<[unknown, unknown]> {
  const asks: Ask[] = [
    {
      asked: text,
      of: (search) => search.search({ workspaceId: "w", email: "alice@w" }, { text, limit: 20 }),
    },
  ];
  const [full, seen] = databases as [PGlite, PGlite];
  const [one, two] = [await answersOf(full, all, asks), await answersOf(seen, visible, asks)];
  return [one.get(text), two.get(text)];
}

const FOUND = { answer: { status: "ok", hits: [{ id: "own" }] } };

describe("X4 F17 hidden documents", () => {
  it.each(callers)(
    `X4 F17 change neither answers nor statements for $email (seed ${seed})`,
    async (person) => {
      const hidden = hiddenFrom(company, person, random);
      const asks = randomAsks(hidden, random, ASKS);
      const [full, seen] = databases as [PGlite, PGlite];
      const [expected, answers] = [
        await answersOf(seen, hidden.visible, asks),
        await answersOf(full, hidden.whole, asks),
      ];
      for (const [asked, answer] of answers)
        expect({ asked, ...Object(answer) }).toEqual({ asked, ...Object(expected.get(asked)) });
      expect(hidden.visible.documents.length).toBeLessThan(company.documents.length / 2);
    },
    soak(60_000, 600_000),
  );

  it.each([0, 100])(
    "X4 F17 do not change the spelling of a word, if everybody may see %i documents",
    async (open) => {
      const visible = [
        ...Array.from({ length: open }, (_, at) => ({
          id: `open-${at}`,
          body: "handbook",
          group: "everyone",
        })),
        { id: "own", body: "about zantez", group: "alice" },
      ];
      const near = [..."abcdefghijklmnopqrstuvwxy"].map((letter) => `${letter}zante`);
      const all = [{ id: "hidden", body: near.join(" "), group: "bob" }, ...visible];
      const [one, two] = await foundBy("zante", smallCompany(all), smallCompany(visible));
      expect(two).toMatchObject(FOUND);
      expect(one).toEqual(two);
    },
  );

  it("X4 F17 do not suggest another form of a word that the caller may see", async () => {
    const visible = [
      { id: "open", body: "handbook", group: "everyone" },
      { id: "own", body: "it grows", group: "alice" },
    ];
    const all = [{ id: "hidden", body: "it is growing", group: "bob" }, ...visible];
    const [one, two] = await foundBy("growimg", smallCompany(all), smallCompany(visible));
    expect(two).toMatchObject({ answer: { status: "ok", hits: [] } });
    expect(one).toEqual(two);
  });

  it("X4 F17 do not change which of too many documents are ranked", async () => {
    const visible = Array.from({ length: 2_010 }, (_, at) => ({
      ...{ id: `own-${at}`, body: "alpha", group: "alice" },
    }));
    // The order in which rows are stored may change with hidden documents.
    const all = [...visible.toReversed(), { id: "hidden", body: "alpha", group: "bob" }];
    const [one, two] = await foundBy("alpha", smallCompany(all), smallCompany(visible));
    expect(two).toMatchObject({ answer: { total: 2_000, more: true } });
    expect(one).toEqual(two);
  });
});
