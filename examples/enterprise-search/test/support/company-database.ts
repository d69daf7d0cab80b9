import { PGlite, type PGliteOptions } from "@electric-sql/pglite";
import { pg_trgm } from "@electric-sql/pglite/contrib/pg_trgm";
import { unaccent } from "@electric-sql/pglite/contrib/unaccent";
import { chance, pick, type Random, whole } from "@pawl/example-data-parts";
import { filledPglite } from "../../../../test/support/filled-pglite.ts";
import { newPglite } from "../../../../test/support/new-pglite.ts";
import {
  type Caller,
  type Company,
  type CompanySearch,
  type Document,
  drawCompany,
  type Person,
  type Question,
  storeCompany,
} from "../../src/index.ts";

const options: PGliteOptions = {
  extensions: { pg_trgm, unaccent },
  startParams: [...PGlite.defaultStartParams, "-c", "shared_buffers=16MB", "-c", "random_page_cost=1.1"],
};

/** Creates a PGlite with the extensions of the search, by copying prepared files. */
export async function searchPglite(): Promise<PGlite> {
  return await newPglite(options);
}

/** Opens a PGlite with a company of 1,000 documents, by copying prepared files. */
export async function companyPglite(): Promise<PGlite> {
  const src = "examples/enterprise-search/src";
  return await filledPglite({
    name: "documents",
    sources: [`${src}/base`, `${src}/company`, `${src}/data`],
    options,
    fill: async (db) => await storeCompany(db, "test", () => drawCompany({ documents: 1_000 })),
  });
}

export const callerOf = ({ workspace, email }: Person): Caller => ({ workspaceId: workspace, email });

/** Who may see what, computed from the company and not by the database. */
export function oracle(company: Company) {
  const known = oracles.get(company) ?? newOracle(company);
  oracles.set(company, known);
  return known;
}

const oracles = new WeakMap<Company, ReturnType<typeof newOracle>>();

function newOracle({ workspaces, documents }: Company) {
  const members = new Map(
    workspaces.flatMap(({ groups }) => groups.map(({ id, members: ids }) => [id, new Set(ids)] as const)),
  );
  const byId = new Map(documents.map((document) => [document.id, document]));
  const sees = (person: Person, { workspace, acl }: Document) =>
    person.workspace === workspace && acl.some((group) => members.get(group)?.has(person.id) === true);
  return {
    sees,
    seesId: (person: Person, id: string) => {
      const document = byId.get(id);
      return document !== undefined && sees(person, document);
    },
    people: workspaces.flatMap(({ people }) => people),
  };
}

/** Compares two answers: a hit among the first five, and one over the rank among the first ten. */
export async function qualityOf(search: CompanySearch, questions: readonly Question[]) {
  const misses: string[] = [];
  const byKind = new Map<string, { count: number; hits: number; ranks: number }>();
  for (const { kind, text, asker, answers } of questions) {
    const found = await search.search(asker, { text, limit: 10 });
    const ids = found.status === "ok" ? found.hits.map(({ id }) => id) : [];
    const rank = ids.findIndex((id) => answers.includes(id));
    const sum = byKind.get(kind) ?? { count: 0, hits: 0, ranks: 0 };
    const isHit = rank !== -1 && rank < 5;
    byKind.set(kind, {
      count: sum.count + 1,
      hits: sum.hits + (isHit ? 1 : 0),
      ranks: sum.ranks + (rank === -1 ? 0 : 1 / (rank + 1)),
    });
    if (!isHit) misses.push(`${kind}: ${text}`);
  }
  const of = (field: "hits" | "ranks") => [...byKind.values()].reduce((sum, one) => sum + one[field], 0);
  const share = (value: number, count: number) => Number((value / count).toFixed(3));
  return {
    hitAt5: share(of("hits"), questions.length),
    mrr: share(of("ranks"), questions.length),
    byKind: [...byKind].map(
      ([kind, { count, hits, ranks }]) => `${kind} ${share(hits, count)} / ${share(ranks, count)}`,
    ),
    misses,
  };
}

const OPERATORS = [
  '"',
  "'",
  "-",
  "--",
  "!",
  "&",
  "|",
  "<->",
  "(",
  ")",
  ":*",
  "*",
  "\\",
  "%",
  "_",
  "$1",
  ";",
  "{}",
  "<b>",
];
const COMMON =
  "the project meeting budget a of for team and or not with on in file mail null NULL true".split(" ");
const ALPHABETS = [
  "проект бюджет встреча",
  "会議 予算 東京",
  "مشروع ميزانية",
  "πρόγραμμα",
  "מפגש תקציב",
  "예산 회의",
  "Straße Łódź",
];
const ODD = [
  "\0",
  "\uD800",
  "\uDC00",
  "\uE000",
  "\uE001",
  "\u202E",
  "\u0301",
  "🙂",
  "👩‍👩‍👧",
  "\t\n",
  "\u00A0",
  "ﬁ",
  "İ",
];

/** A text that nobody should search for: quotes, operators, long words, NUL, other alphabets, and usual words. */
export function oddQuery(random: Random): string {
  const letters = (count: number) =>
    Array.from({ length: count }, () => String.fromCharCode(97 + whole(random, 26))).join("");
  const part = () => {
    const kind = random();
    if (kind < 0.3) return pick(random, COMMON);
    if (kind < 0.5) return pick(random, OPERATORS);
    if (kind < 0.6) return pick(random, ALPHABETS);
    if (kind < 0.7) return pick(random, ODD);
    if (kind < 0.75) return letters(10_000);
    if (kind < 0.85) return letters(1 + whole(random, 12));
    if (kind < 0.9) return `"${pick(random, COMMON)} ${pick(random, COMMON)}"`;
    if (kind < 0.95) return `-${pick(random, COMMON)}`;
    return String.fromCodePoint(whole(random, 0x10ffff));
  };
  return Array.from({ length: 1 + whole(random, chance(random, 0.1) ? 200 : 8) }, part).join(
    random() < 0.8 ? " " : "",
  );
}
