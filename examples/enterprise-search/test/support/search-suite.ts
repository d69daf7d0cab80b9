import { pick, randomFrom } from "@pawl/example-data-parts";
import type { Database } from "@pawl/postgres";
import { beforeAll, expect, it } from "vitest";
import {
  COMPANY_NOW,
  type Company,
  type CompanySearch,
  companySearch,
  storeCompany,
} from "../../src/index.ts";
import { callerOf, oddQuery, oracle } from "./company-database.ts";
import { checkPair, documentsWithCode } from "./pairs.ts";

/** What holds on every driver and database. `pairs` and `queries` are how many are tried. */
export function searchSuite(
  open: () => Promise<{ db: Database; company: Company }>,
  { pairs, queries }: { pairs: number; queries: number },
): void {
  let db: Database;
  let company: Company;
  let search: CompanySearch;
  beforeAll(async () => {
    ({ db, company } = await open());
    search = companySearch(db, { now: () => COMPANY_NOW });
  }, 120_000);

  const alex = { workspaceId: "harborline", email: "alex.chen@harborline.example" };

  it("X4 stores a company once, and its documents can be found by words, owner and time", async () => {
    const stages: string[] = [];
    const draw = () => {
      throw new Error("It is stored already.");
    };
    await storeCompany(db, "test", draw, { onProgress: ({ stage }) => stages.push(stage) });
    expect(stages).toEqual(["start", "ready"]);
    const found = await search.search(alex, { text: "Q4 forecast", owner: "Alex Chen" });
    if (found.status !== "ok") throw new Error(found.status);
    expect(found.hits[0]?.title).toMatch(/^Q4 forecast/);
    expect(found.hits.every(({ owner }) => owner.email === alex.email)).toBe(true);
    const november = { from: Date.parse("2026-11-12"), to: Date.parse("2026-11-17T12:00Z") };
    const late = await search.search(alex, { text: "Q4", time: november });
    expect(late.status === "ok" && late.hits.map(({ title }) => title).sort()).toEqual([
      "#finance",
      "Where the Q4 pipeline stands",
    ]);
  });

  it(`F17 X4 leaks nothing to ${pairs} random users: results, counts, opened documents, threads, links and people`, async () => {
    const random = randomFrom("pairs");
    const { people } = oracle(company);
    const coded = documentsWithCode(company);
    const seen = { visible: 0, hidden: 0 };
    for (let pair = 0; pair < pairs; pair += 1) {
      const person = pick(random, people);
      const document = pick(random, coded);
      seen[(await checkPair(search, company, person, document)) ? "visible" : "hidden"] += 1;
    }
    expect(seen.visible).toBeGreaterThan(pairs / 50);
    expect(seen.hidden).toBeGreaterThan(pairs / 2);
  });

  it(`X4 answers ${queries} unusual texts without an error: operators, long words, NUL, other alphabets`, async () => {
    const random = randomFrom("queries");
    const { people, seesId } = oracle(company);
    const statuses = new Map<string, number>();
    for (let at = 0; at < queries; at += 1) {
      const text = oddQuery(random);
      const person = pick(random, people);
      const found = await search.search(callerOf(person), { text }).catch((cause: unknown) => {
        throw new Error(`Query ${at}: ${JSON.stringify(text.slice(0, 300))}`, { cause });
      });
      statuses.set(found.status, (statuses.get(found.status) ?? 0) + 1);
      if (found.status !== "ok") continue;
      for (const { id, fragment } of found.hits) {
        expect(seesId(person, id)).toBe(true);
        expect(fragment.text).not.toMatch(/[\uE000\uE001]/);
      }
    }
    expect(statuses.get("ok")).toBeGreaterThan(queries / 2);
  });
}
