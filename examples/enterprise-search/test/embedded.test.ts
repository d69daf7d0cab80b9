import { createHash } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { settled } from "../../../test/support/settled.ts";
import { steps } from "../src/data/migrations/index.ts";
import { failureText } from "../src/embedded/failure-text.ts";
import { FORMAT } from "../src/embedded/format.ts";
import { type BuildProgress, type EmbeddedCompany, embeddedCompany } from "../src/index.ts";

const alex = { workspaceId: "harborline", email: "alex.chen@harborline.example" };
let dataDir: string;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "pawl-search-"));
});
afterAll(() => rm(dataDir, { recursive: true, force: true }));

/** A company on disk, with the progress of its index. */
function onDisk(onProgress?: (progress: BuildProgress, company: EmbeddedCompany) => void) {
  const seen: BuildProgress[] = [];
  const company: EmbeddedCompany = embeddedCompany({
    dataDir,
    documents: 1_000,
    onProgress: (progress) => {
      seen.push(progress);
      onProgress?.(progress, company);
    },
  });
  const stages = () => [...new Set(seen.map(({ stage }) => stage))];
  return { company, seen, stages };
}

/** Digests the tables' definitions and rows, without the times at which they were stored. */
async function digestOf({ db }: EmbeddedCompany): Promise<string> {
  const digest = createHash("sha256").update(steps.join("\n"));
  await db.query("SET TIME ZONE 'UTC'");
  for (const table of ["person", "team", "member", "documents", "word", "custom_agent"]) {
    const row = "(to_jsonb(t) - 'created_at' - 'updated_at')::text";
    const { rows } = await db.query(
      `SELECT md5(string_agg(md5(${row}), '' ORDER BY md5(${row}))) AS md5 FROM enterprise_search.${table} t`,
    );
    digest.update(JSON.stringify([table, rows]));
  }
  return digest.digest("hex").slice(0, 8);
}

describe("X4 the index in a thread of its own", () => {
  it("X4 says why it failed, also if the database's file system is full or broken", () => {
    expect(
      [
        new Error("broken"),
        { name: "ErrnoError", errno: 51 },
        { name: "ErrnoError", errno: 29 },
        "x",
        null,
      ].map(failureText),
    ).toEqual([
      "broken",
      "There is no space left on the disk.",
      "The file system failed with the error 29.",
      "x",
      "null",
    ]);
  });

  it("X4 is built at the first search, continued after a crash, opened at the next start, and started again", async () => {
    const idle = onDisk();
    expect(idle.company.progress()).toBeUndefined();
    await idle.company.close();
    expect(idle.seen).toEqual([]);

    // The thread ends in the middle, as a killed process would.
    const killed = onDisk(({ stage, done }, company) => {
      if (stage === "documents" && done >= 500) void company.close();
    });
    const lost = killed.company.search.search(alex, { text: "Q4" });
    await expect(lost).rejects.toThrow(/The index is closed/);
    expect(killed.company.progress()).toBeUndefined();

    const first = onDisk();
    let turns = 0;
    const timer = setInterval(() => {
      turns += 1;
    }, 1);
    const found = await first.company.search.search(alex, { text: "Q4 forecast" });
    clearInterval(timer);
    // While it was built, this thread did other things.
    expect(turns).toBeGreaterThan(20);
    if (found.status !== "ok") throw new Error(found.status);
    expect(found.hits[0]?.title).toMatch(/^Q4 forecast/);
    expect(first.stages()).toEqual(["start", "draw", "documents", "words", "ready"]);
    expect(first.seen.find(({ stage }) => stage === "documents")?.done).toBeGreaterThan(500);
    expect(first.company.progress()).toEqual({ stage: "ready", done: 1_000, total: 1_000 });
    const { rows } = await first.company.db.query(
      "SELECT count(*)::integer AS count FROM enterprise_search.documents",
    );
    expect(rows).toEqual([{ count: 1_000 }]);

    const digest = await digestOf(first.company);
    // Otherwise people would keep an index that lacks a table, or has other documents.
    expect(FORMAT, `The index has changed. Set FORMAT in src/embedded/format.ts to "${digest}".`).toBe(
      digest,
    );

    const second = onDisk();
    await expect(second.company.ready()).rejects.toThrow(/in use by another process/);
    await expect(first.company.db.query("SELECT 1 / 0")).rejects.toMatchObject({ code: "22012" });
    // What was asked before the end is answered. Only a half-built index is left at once.
    const asked = [
      first.company.db.query("SELECT count(*)::integer AS count FROM generate_series(1, 200000)"),
      first.company.db.query("SELECT 1 AS one"),
    ];
    // They wait for the index, as a search does. Then they are sent.
    await settled();
    await Promise.all([first.company.close(), first.company.close()]);
    expect((await Promise.all(asked)).map(({ rows }) => rows)).toEqual([[{ count: 200_000 }], [{ one: 1 }]]);

    await second.company.ready();
    expect(second.stages()).toEqual(["start", "ready"]);
    expect(await second.company.search.search(alex, { text: "Q4 forecast" })).toEqual(found);
    await second.company.close();
    await second.company.close();
  }, 120_000);
});
