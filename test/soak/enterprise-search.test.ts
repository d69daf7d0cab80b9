import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { pick, randomFrom } from "@pawl/example-data-parts";
import { migrate, postgresStore, type Queryable } from "@pawl/postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  COMPANY_NOW,
  type CompanySearch,
  companySearch,
  drawCompany,
  drawQuestions,
  type EmbeddedCompany,
  embeddedCompany,
} from "../../examples/enterprise-search/src/index.ts";
import {
  callerOf,
  oddQuery,
  oracle,
  qualityOf,
} from "../../examples/enterprise-search/test/support/company-database.ts";
import { crashEverywhere } from "../../examples/enterprise-search/test/support/crash-everywhere.ts";
import type { Measured } from "../../examples/enterprise-search/test/support/measure.ts";
import { checkPair, documentsWithCode } from "../../examples/enterprise-search/test/support/pairs.ts";
import { testDatabase } from "../support/postgres.ts";
import { soak } from "../support/soak.ts";

const DOCUMENTS = soak(1_000, 50_000);
const QUESTIONS = soak(10, 100);
const PAIRS = soak(10, 500);
const QUERIES = soak(20, 10_000);

const MEASURE = join(import.meta.dirname, "../../examples/enterprise-search/test/support/measure.ts");

const company = drawCompany({ documents: DOCUMENTS });
let dataDir: string;
let embedded: EmbeddedCompany;
let db: Queryable;
let search: CompanySearch;
/** The time of each statement, in milliseconds, and the searches that read the table from end to end. */
const took: number[] = [];
const stages: string[] = [];
const scans = new Set<string>();
const count = { statements: 0, planned: 0 };

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "pawl-search-"));
  embedded = embeddedCompany({
    dataDir,
    documents: DOCUMENTS,
    onProgress: ({ stage }) => stages.push(stage),
  });
  db = {
    query: async (text, values) => {
      count.statements += 1;
      const began = performance.now();
      const result = await embedded.db.query(text, values);
      took.push(performance.now() - began);
      return result;
    },
  };
  search = companySearch(db, { now: () => COMPANY_NOW });
});
afterAll(async () => {
  await embedded.close();
  await rm(dataDir, { recursive: true, force: true });
});

const run = promisify(execFile);
const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`;
const both = ({ wall, processor }: Measured["built"]) =>
  `${seconds(wall)} (processor time ${seconds(processor)})`;
const percentiles = (values: readonly number[]) => {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) => (sorted[Math.floor((sorted.length - 1) * share)] ?? 0).toFixed(1);
  return `p50 ${at(0.5)}, p95 ${at(0.95)}, p99 ${at(0.99)}, slowest ${at(1)} ms`;
};

/** Returns the tables that a search's statement would read from end to end. */
async function scannedBy(text: string, values: unknown[] | undefined): Promise<string | undefined> {
  const { rows } = await embedded.db.query(`EXPLAIN ${text}`, values);
  const plan = rows.map((row) => Object.values(row as object)[0] as string).join("\n");
  return /Seq Scan on documents/.test(plan) ? plan : undefined;
}

/** Builds the index in a process without the flags of tests, which make Postgres slow, and reports its times. */
async function measure(): Promise<void> {
  const args = ["--conditions=@pawl/source", MEASURE, dataDir, String(DOCUMENTS), String(2 * QUESTIONS)];
  const { stdout } = await run(process.execPath, args, { maxBuffer: 1e8 });
  const { built, opened, blocked, questions } = JSON.parse(stdout) as Measured;
  soak.report(
    `${DOCUMENTS} documents: index built in ${both(built)}, opened again in ${both(opened)}. The main thread was blocked for ${Math.round(blocked)} ms at most.`,
  );
  soak.report(
    `${questions.wall.length} questions, one after the other: ${percentiles(questions.wall)}; processor time ${percentiles(questions.processor)}.`,
  );
}

describe(`X4 a company of ${DOCUMENTS} documents`, () => {
  it("X4 is indexed in a thread, found at the next start, and fast", async () => {
    if (DOCUMENTS > 1_000) await measure();
    await embedded.ready();
    expect(embedded.progress()).toEqual({ stage: "ready", done: DOCUMENTS, total: DOCUMENTS });
    if (DOCUMENTS > 1_000) expect([...new Set(stages)]).toEqual(["start", "ready"]);
  });

  it(`X4 answers ${2 * QUESTIONS} questions, half of them of a seed drawn in this run`, async () => {
    const seed = randomUUID();
    for (const [half, name] of Object.entries({ tuned: "known", "held back": seed })) {
      const questions = drawQuestions(company, { seed: name, count: QUESTIONS });
      const { hitAt5, mrr, byKind, misses } = await qualityOf(search, questions);
      soak.report(
        `${questions.length} questions, ${half} (seed ${name}): hit@5 ${hitAt5}, MRR ${mrr}; ${byKind.join(", ")}.`,
      );
      const plain = await qualityOf(
        companySearch(embedded.db, { now: () => COMPANY_NOW, synonyms: false }),
        questions,
      );
      soak.report(`The same without synonyms: hit@5 ${plain.hitAt5}, MRR ${plain.mrr}.`);
      // One of few questions says little.
      expect(hitAt5, misses.join("\n")).toBeGreaterThanOrEqual(soak(0.6, 0.9));
      expect(mrr, byKind.join("\n")).toBeGreaterThanOrEqual(soak(0.5, 0.8));
    }
  });

  it(`F17 X4 leaks nothing to ${PAIRS} random users`, async () => {
    const random = randomFrom("pairs");
    const { people } = oracle(company);
    const coded = documentsWithCode(company);
    const seen = { visible: 0, hidden: 0 };
    for (let pair = 0; pair < PAIRS; pair += 1) {
      const person = pick(random, people);
      const document = pick(random, coded);
      seen[(await checkPair(search, company, person, document)) ? "visible" : "hidden"] += 1;
    }
    soak.report(
      `${PAIRS} pairs of a user and a document: ${seen.visible} visible, ${seen.hidden} hidden, 0 leaks.`,
    );
  });

  it(`X4 answers ${QUERIES} unusual texts without an error, and always with the index`, async () => {
    const random = randomFrom(String(soak(3, Date.now())));
    const { people, seesId } = oracle(company);
    const times: number[] = [];
    const planned: Queryable = {
      query: async (text, values) => {
        if (text.includes("candidate AS") || text.includes("count(*) FROM enterprise_search.documents")) {
          count.planned += 1;
          const scanned = await scannedBy(text, values);
          if (scanned !== undefined) scans.add(scanned);
        }
        return await db.query(text, values);
      },
    };
    const checked = companySearch(planned, { now: () => COMPANY_NOW });
    for (let at = 0; at < QUERIES; at += 1) {
      const text = oddQuery(random);
      const caller = callerOf(pick(random, people));
      const before = took.length;
      const found = await checked.search(caller, { text }).catch((cause: unknown) => {
        throw new Error(`Query ${at}: ${JSON.stringify(text.slice(0, 300))}`, { cause });
      });
      times.push(took.slice(before).reduce((sum, ms) => sum + ms, 0));
      if (found.status !== "ok") continue;
      const person = people.find(({ email }) => email === caller.email)!;
      expect(found.hits.filter(({ id }) => !seesId(person, id))).toEqual([]);
    }
    soak.report(
      `${QUERIES} odd texts, 0 errors, ${count.planned} plans, ${scans.size} of them without the index. ${percentiles(times)}.`,
    );
    // A table of a few pages is read faster from end to end.
    if (DOCUMENTS > 10_000) expect([...scans].slice(0, 3)).toEqual([]);
  });

  it("X4 M1 M2 M3 M5 the story of the two Alexes over a server survives a crash at every append", async () => {
    const database = await testDatabase();
    const pool = database.pool();
    await migrate(pool);
    const store = postgresStore(pool);
    const place = async () => {
      await pool.query("DELETE FROM agent_sessions");
      const wait = async () =>
        void (await pool.query(
          "UPDATE agent_sessions SET lease_expires_at = now() WHERE lease_expires_at IS NOT NULL",
        ));
      return { store, wait };
    };
    const { appends, crashes } = await crashEverywhere(search, place, { every: soak(15, 1) });
    soak.report(
      `${crashes} crashes of the story over a server, at ${appends} appends: the same answer and record.`,
    );
    await database.drop();
  });
});
