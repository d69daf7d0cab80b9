import type { PGlite } from "@electric-sql/pglite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newPglite } from "../../../test/support/new-pglite.ts";
import {
  arrayText,
  ask,
  columnsOf,
  migrate,
  normal,
  poisson,
  randomFrom,
  receivedFile,
  receivedFiles,
  sample,
} from "../src/index.ts";

let db: PGlite;
beforeAll(async () => {
  db = await newPglite();
});
afterAll(() => db.close());

describe("migrations", () => {
  it("run each step once, and continue after a step that failed", async () => {
    const one = { schema: "one", lock: 1, steps: ["CREATE TABLE one.a (n integer);"] };
    await Promise.all([migrate(db, one), migrate(db, one)]);
    const wrong = { ...one, steps: [...one.steps, "CREATE TABLE one.b (n integer); SELECT nonsense;"] };
    await expect(migrate(db, wrong)).rejects.toThrow(/nonsense/);
    expect(await ask(db, "SELECT to_regclass('one.b') IS NULL AS undone")).toEqual([{ undone: true }]);
    const right = {
      ...one,
      steps: [...one.steps, "CREATE TABLE one.b (n integer);", "INSERT INTO one.b VALUES (7);"],
    };
    await migrate(db, right);
    await migrate(db, right);
    expect(await ask(db, "SELECT n FROM one.b")).toEqual([{ n: 7 }]);
    expect(await ask(db, "SELECT version FROM one.migration ORDER BY version")).toHaveLength(3);
  });
});

describe("columns", () => {
  it("store every value as it is", async () => {
    interface Row {
      title: string;
      count?: number | null;
      done: boolean;
      at: number;
      tags: readonly string[];
    }
    const types = { title: "text", count: "integer", done: "boolean", at: "timestamptz", tags: "text[]" };
    const rows: Row[] = [
      {
        title: 'a "quoted" \\ {text}, NULL',
        count: 0,
        done: true,
        at: 1_000,
        tags: ['x,"y"', "{}", "\\", ""],
      },
      { title: "NULL", count: null, done: false, at: 0, tags: [] },
      { title: "", done: false, at: 0, tags: ["NULL"] },
    ];
    const { arrays, names, select, values } = columnsOf<Row>(types, rows, 1);
    const text = `SELECT ${select} FROM unnest(${arrays}) WITH ORDINALITY AS r(${names}, place) ORDER BY place`;
    const stored = await ask<Row & { at: Date }>(db, text, values);
    expect(stored.map((row) => ({ ...row, at: row.at.valueOf() }))).toEqual(
      rows.map((row) => ({ ...row, count: row.count ?? null })),
    );
    // What Postgres cannot store in text does not fail the statement.
    const odd = await ask(db, "SELECT $1::text::text[] AS words", [arrayText(["a\0b", "c\uD800"])]);
    expect(odd).toEqual([{ words: ["a\uFFFDb", "c\uFFFD"] }]);
  });
});

describe("random numbers", () => {
  it("are the same for the same text, and have the asked distribution", () => {
    const many = <T>(draw: () => T): T[] => Array.from({ length: 20_000 }, draw);
    const mean = (list: readonly number[]) => list.reduce((sum, one) => sum + one, 0) / list.length;
    const [random, again, other] = ["a", "a", "b"].map(randomFrom) as [
      () => number,
      () => number,
      () => number,
    ];
    const numbers = many(random);
    expect(numbers).toEqual(many(again));
    expect(numbers).not.toEqual(many(other));
    expect(Math.min(...numbers)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...numbers)).toBeLessThan(1);
    expect(mean(numbers)).toBeCloseTo(0.5, 1);
    expect(mean(many(() => normal(random, 5, 2)))).toBeCloseTo(5, 0);
    expect(mean(many(() => poisson(random, 0.7)))).toBeCloseTo(0.7, 1);
    expect(new Set(sample(random, [1, 2, 3], 9))).toEqual(new Set([1, 2, 3]));
  });
});

describe("files of a request", () => {
  const gif = (width: number) => ({
    type: "image" as const,
    source: {
      type: "base64",
      media_type: "image/gif",
      data: Buffer.from([71, 73, 70, 56, 57, 97, width, 0, 2, 0]).toString("base64"),
    },
  });
  const text = (words: string) => ({ type: "text" as const, text: words });
  const answer = { role: "assistant", content: [text("I see.")] };

  it("are described by their bytes", () => {
    const [three, four] = [receivedFile(gif(3)), receivedFile(gif(4))];
    expect(three).toMatch(/^a GIF picture of 3 × 2 pixels \(10 bytes, SHA-256 [0-9a-f]{8}…\)$/);
    expect(four).not.toBe(three?.replace("3 ×", "4 ×"));
    const data = { type: "text", media_type: "text/plain", data: "Porridge." };
    expect(receivedFile({ type: "document", title: "day.md", source: data })).toMatch(
      /^a text called "day\.md" \(9 bytes/,
    );
    expect(receivedFile(text("Hello."))).toBeUndefined();
    expect(receivedFile({ type: "image", source: { type: "stored" } })).toBeUndefined();
  });

  it("are new until the next answer, and alone without a text of the user", () => {
    const [three, four] = [receivedFile(gif(3)), receivedFile(gif(4))];
    const first = { role: "user", content: [gif(3), gif(4), text("What is it?")] };
    expect(receivedFiles([first])).toEqual({ now: [three, four], before: [], alone: false });
    const later = { role: "user", content: [gif(4), text("<knowledge>…</knowledge>")] };
    expect(receivedFiles([first, answer, later])).toEqual({
      now: [four],
      before: [three, four],
      alone: true,
    });
    const result = {
      role: "user",
      content: [{ type: "tool_result" as const, tool_use_id: "a", content: "" }],
    };
    expect(receivedFiles([first, answer, result])).toMatchObject({ now: [], alone: false });
  });
});
