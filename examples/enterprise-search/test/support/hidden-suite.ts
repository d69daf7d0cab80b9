import type { Queryable } from "@pawl/postgres";
import { afterAll, beforeAll, expect, it } from "vitest";
import { agentStore, COMPANY_NOW, type CompanySearch, companySearch } from "../../src/index.ts";

const chen = { workspaceId: "harborline", email: "alex.chen@harborline.example" };
const rivera = { workspaceId: "harborline", email: "alex.rivera@harborline.example" };

/** In three mails of the leadership, in one mail that everyone sees, and in none. One letter apart. */
const [HIDDEN, OPEN, MISSING] = ["zebrawool", "zebrawood", "zebrawoop"] as const;
const MAILS = ["hidden-1", "hidden-2", "hidden-3", "open-1"] as const;

interface Asked<T> {
  outcome: T;
  /** Each statement with its plan. */
  statements: [text: string, plan: string][];
}

/** That a hidden document and one that does not exist cannot be told apart: by results, statements or plans. */
export function hiddenSuite(open: () => Queryable): void {
  beforeAll(async () => {
    const db = open();
    await db.query(
      `INSERT INTO enterprise_search.documents (id, workspace, source, thread, title, body, people, owner,
         participants, place, kind, at, acl, links)
       SELECT n.id, workspace, source, n.id, 'About ' || n.word, n.word || ' is on its way.', people, owner,
         participants, place, kind, at + interval '30 days', CASE WHEN n.word = $1 THEN acl ELSE o.groups END, links
       FROM enterprise_search.documents d,
         (SELECT acl AS groups FROM enterprise_search.documents WHERE title = 'Where the Q4 pipeline stands') o,
         unnest($2::text[], $3::text[]) n(id, word)
       WHERE d.title = 'Q4 bonus pool, confidential'`,
      [HIDDEN, MAILS, [HIDDEN, HIDDEN, HIDDEN, OPEN]],
    );
    await db.query(
      `INSERT INTO enterprise_search.word
       SELECT DISTINCT ON (n.word) 'harborline', n.word, n.word, 0, d.acl
       FROM unnest($1::text[], $2::text[]) n(id, word) JOIN enterprise_search.documents d ON d.id = n.id`,
      [MAILS, [HIDDEN, HIDDEN, HIDDEN, OPEN]],
    );
  });
  afterAll(async () => {
    await open().query("DELETE FROM enterprise_search.documents WHERE id = ANY($1)", [MAILS]);
    await open().query("DELETE FROM enterprise_search.word WHERE word = ANY($1)", [[HIDDEN, OPEN]]);
  });

  /** Asks as a process that has just begun, and notes the statements with the plans that Postgres makes. */
  async function asked<T>(work: (search: CompanySearch, db: Queryable) => Promise<T>): Promise<Asked<T>> {
    const db = open();
    const made: [string, unknown[]][] = [];
    const noting: Queryable = {
      query: async (text, values = []) => {
        made.push([text, values]);
        return await db.query(text, values);
      },
    };
    const outcome = await work(companySearch(noting, { now: () => COMPANY_NOW }), noting);
    const statements: Asked<T>["statements"] = [];
    for (const [text, values] of made) {
      const { rows } = await db.query(`EXPLAIN (COSTS OFF) ${text}`, values);
      statements.push([text, rows.map((row) => Object.values(row as object)[0]).join("\n")]);
    }
    return { outcome, statements };
  }
  const alike = <T>(found: Asked<T>) =>
    JSON.parse(
      JSON.stringify(found)
        .replaceAll(new RegExp(`${HIDDEN}|${MISSING}|hidden-1|absent-1`, "g"), "…")
        .replaceAll(/'(…|zebraw\w*)'/g, "'…'"),
    );

  it.each(["*", "* Q4", "What is on its way with *?", '"* is" forecast', "Q4 -*", "*x"])(
    "X4 F17 a word that only hidden mails have is treated like a word that nobody wrote: %s",
    async (pattern) => {
      const search = async (word: string) => {
        const text = pattern.replace("*", pattern === "*x" ? word.slice(0, -1) : word);
        return await asked((process) => process.search(rivera, { text, limit: 20 }));
      };
      const [hidden, missing] = [await search(HIDDEN), await search(MISSING)];
      expect(alike(hidden)).toEqual(alike(missing));
      expect(hidden.statements.length).toBeGreaterThan(2);
      expect(JSON.stringify(hidden.outcome)).not.toContain("hidden-");
    },
  );

  it.each([HIDDEN, MISSING, `${MISSING} Q4`, "zebrawoul", "zebrawoul forecast"])(
    "X4 F17 a search for %s has the same results and statements as without the hidden mails",
    async (text) => {
      const search = async () => await asked((process) => process.search(rivera, { text, limit: 20 }));
      const found = await search();
      const db = open();
      await db.query("BEGIN");
      try {
        await db.query("DELETE FROM enterprise_search.documents WHERE body LIKE $1", [`${HIDDEN}%`]);
        await db.query("DELETE FROM enterprise_search.word WHERE word = $1", [HIDDEN]);
        expect(found).toEqual(await search());
      } finally {
        await db.query("ROLLBACK");
      }
    },
  );

  it("X4 F17 the leadership finds what it may see, and a misspelled word leads to what the caller may see", async () => {
    const ids = async (text: string, caller: typeof chen) => {
      const { outcome } = await asked((process) => process.search(caller, { text }));
      return outcome.status === "ok" ? outcome.hits.map(({ id }) => id).sort() : outcome.status;
    };
    expect(await ids(HIDDEN, chen)).toEqual(["hidden-1", "hidden-2", "hidden-3"]);
    expect(await ids(MISSING, chen)).toEqual(["hidden-1", "hidden-2", "hidden-3", "open-1"]);
    expect(await ids(MISSING, rivera)).toEqual(["open-1"]);
    expect(await ids(HIDDEN, rivera)).toEqual(["open-1"]);
  });

  it("X4 F17 a hidden document causes the same statements and query plans as one that does not exist", async () => {
    const opened = async (id: string) => await asked((process) => process.open(rivera, { id }));
    const hidden = await opened("hidden-1");
    expect(hidden.outcome).toBeUndefined();
    expect(alike(hidden)).toEqual(alike(await opened("absent-1")));
    const without = async (id: string) =>
      await asked((process) => process.search(rivera, { text: "Q4", excludedIds: [id] }));
    expect(alike(await without("hidden-1"))).toEqual(alike(await without("absent-1")));
  });

  it("X4 F17 people's newest documents and the number of matches reveal no hidden documents", async () => {
    const people = async (caller: typeof chen) =>
      (await asked((process) => process.people(caller, { text: "Alex" }))).outcome;
    const [seen, known] = [await people(rivera), await people(chen)];
    const lastOf = ({ people: found }: typeof seen) => found.map(({ last }) => last?.id);
    expect(lastOf(known)).toContain("hidden-1");
    expect(JSON.stringify(seen)).not.toContain("hidden-");
    expect([seen.total, seen.people.map(({ email }) => email)]).toEqual([
      known.total,
      known.people.map(({ email }) => email),
    ]);
  });

  it("X4 F17 another person's agent causes the same statements as one that does not exist", async () => {
    const draft = { name: "Mine", description: "Mine.", instructions: "Search." };
    const tried = async (id: string) =>
      await asked(async (_, db) => {
        const store = agentStore(db);
        return [await store.update(rivera, id, draft), await store.remove(rivera, id)];
      });
    const [others, absent] = [await tried("board-notes"), await tried("board-notez")];
    const same = (found: typeof others) => JSON.stringify(found).replaceAll(/board-note\w/g, "…");
    expect(same(others)).toBe(same(absent));
    expect((await agentStore(open()).list(chen))[0]?.name).toBe("Board notes");
  });
}
