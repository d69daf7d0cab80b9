import { readFileSync } from "node:fs";
import type { PGlite } from "@electric-sql/pglite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newPglite } from "../../../test/support/new-pglite.ts";

/** What of Supabase's own schemas the policies name, as its published migrations make it. */
const supabase = `
  CREATE ROLE authenticated NOLOGIN; CREATE ROLE anon NOLOGIN;
  CREATE SCHEMA auth; CREATE SCHEMA storage;
  GRANT USAGE ON SCHEMA auth, storage TO authenticated, anon;
  CREATE FUNCTION auth.uid() RETURNS uuid LANGUAGE sql STABLE AS
    $$ SELECT (nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'sub')::uuid $$;
  CREATE TABLE storage.buckets (id text PRIMARY KEY, name text NOT NULL UNIQUE, public boolean, file_size_limit bigint);
  CREATE TABLE storage.objects (bucket_id text REFERENCES storage.buckets, name text, version text, PRIMARY KEY (bucket_id, name));
  CREATE FUNCTION storage.foldername(name text) RETURNS text[] LANGUAGE plpgsql AS
    $$ DECLARE parts text[] := string_to_array(name, '/'); BEGIN RETURN parts[1 : array_length(parts, 1) - 1]; END $$;
  ALTER TABLE storage.objects ENABLE ROW LEVEL SECURITY;
  GRANT ALL ON storage.objects TO authenticated, anon;
`;
const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
const policies = /```sql\n(INSERT INTO storage[\s\S]*?)```/.exec(readme)?.[1] ?? "";
const [ada, eve] = ["6f1c1a54-0000-4000-8000-00000000000a", "6f1c1a54-0000-4000-8000-00000000000e"];

describe("E11 the policies of the README", () => {
  let db: PGlite;
  beforeAll(async () => {
    db = await newPglite();
    await db.exec(supabase);
    await db.exec(policies);
  });
  afterAll(async () => await db.close());

  const as = (user: string | undefined, sql: string, values: string[] = []) =>
    db.transaction(async (tx) => {
      const claims = JSON.stringify(user === undefined ? {} : { sub: user });
      await tx.query("SELECT set_config('request.jwt.claims', $1, true)", [claims]);
      await tx.exec(`SET LOCAL ROLE ${user === undefined ? "anon" : "authenticated"}`);
      return (await tx.query(sql, values)).rows;
    });
  const upsert = (user: string | undefined, name: string, bucket = "agent-files") =>
    as(
      user,
      `INSERT INTO storage.objects VALUES ($1, $2, '1') ON CONFLICT (bucket_id, name) DO UPDATE SET version = '2' RETURNING version`,
      [bucket, name],
    );

  it("make a private bucket", async () => {
    const { rows } = await db.query("SELECT id, public FROM storage.buckets");
    expect(rows).toEqual([{ id: "agent-files", public: false }]);
  });

  it("let users write, replace, read and delete files in the folder of their id", async () => {
    expect(await upsert(ada, `${ada}/notes/oslo.md`)).toEqual([{ version: "1" }]);
    expect(await upsert(ada, `${ada}/notes/oslo.md`)).toEqual([{ version: "2" }]);
    expect(await as(ada, "SELECT name FROM storage.objects")).toHaveLength(1);
    expect(await as(ada, "DELETE FROM storage.objects RETURNING name")).toHaveLength(1);
  });

  it("let nobody do anything elsewhere", async () => {
    await upsert(ada, `${ada}/notes.md`);
    await db.exec("INSERT INTO storage.buckets VALUES ('other', 'other', false)");
    for (const [user, name, bucket] of [
      [eve, `${ada}/notes.md`],
      [eve, `${ada}/forged.md`],
      [eve, "top.md"],
      [eve, `x/${eve}/a.md`],
      [eve, `${eve}/a.md`, "other"],
      [undefined, `${ada}/forged.md`],
    ] as const) {
      await expect(upsert(user, name, bucket), name).rejects.toThrow(/row-level security/);
    }
    for (const user of [eve, undefined]) {
      expect(await as(user, "SELECT name FROM storage.objects")).toEqual([]);
      expect(await as(user, "UPDATE storage.objects SET version = 'x' RETURNING name")).toEqual([]);
      expect(await as(user, "DELETE FROM storage.objects RETURNING name")).toEqual([]);
    }
    const moved = as(ada, "UPDATE storage.objects SET name = $1", [`${eve}/planted.md`]);
    await expect(moved).rejects.toThrow(/row-level security/);
    expect(await as(ada, "SELECT name FROM storage.objects")).toEqual([{ name: `${ada}/notes.md` }]);
  });
});
