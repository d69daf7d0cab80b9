import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { migrate, migrations } from "@pawl/postgres";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { testDatabase } from "../../../test/support/postgres.ts";
import { SCHEMA_VERSION } from "../src/rpc/rpc.ts";
import { supabaseMigrations } from "./support/migrations.ts";
import { supabaseRoles } from "./support/roles.ts";

const own = new URL("../migrations/", import.meta.url);
const run = promisify(execFile);
const cli = new URL("../src/cli/main.ts", import.meta.url).pathname;
const command = async (...args: string[]): Promise<string> =>
  (await run(process.execPath, ["--conditions=@pawl/source", cli, ...args])).stdout;

/** Who may do what with tables, views and functions, as one list. */
const rights = `
SELECT role || ' ' || what AS may FROM (VALUES ('anon'), ('authenticated'), ('service_role')) AS roles (role),
  LATERAL (
    SELECT c.relname || ' ' || lower(verb) AS what FROM pg_class c,
      unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE']) AS verb
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'v') AND has_table_privilege(role, c.oid, verb)
    UNION ALL
    SELECT p.proname || '()' FROM pg_proc p
    WHERE p.pronamespace = 'public'::regnamespace AND has_function_privilege(role, p.oid, 'EXECUTE')
  ) AS of_role
ORDER BY 1`;

describe("migrations in Supabase's folder format", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "pawl-supabase-"));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it("E9 are those of @pawl/postgres: `npm run try packages/supabase/test/support/migrations.ts` writes them", async () => {
    const wanted = supabaseMigrations();
    expect((await readdir(own)).sort()).toEqual(Object.keys(wanted).sort());
    for (const [name, sql] of Object.entries(wanted)) {
      expect(name).toMatch(/^\d{14}_pawl_[a-z-]+\.sql$/);
      expect(await readFile(new URL(name, own), "utf8"), name).toBe(sql);
    }
    expect(Object.keys(wanted)).toHaveLength(migrations.length);
    expect(migrations.at(-1)?.version).toBe(SCHEMA_VERSION);
  });

  it.each(["nothing", "everything"] as const)(
    "E6 give the same rights in a project that grants %s by default",
    async (given) => {
      const database = await testDatabase();
      try {
        await supabaseRoles(database, given);
        const pool = database.pool();
        for (const sql of Object.values(supabaseMigrations())) await pool.query(sql);
        // A second time, and by other means: nothing is left to do.
        for (const sql of Object.values(supabaseMigrations())) await pool.query(sql);
        await migrate(pool);
        const may = (await pool.query<{ may: string }>(rights)).rows.map((row) => row.may);
        // Who one is may be asked by anybody, as Postgres has it by default.
        const anon = may.filter((one) => one.startsWith("anon") && one !== "anon pawl_user_id()");
        expect(anon).toEqual([]);
        const users = may.filter((one) => one.startsWith("authenticated")).map((one) => one.split(" ", 2)[1]);
        expect(users.filter((one) => one?.endsWith("()")).sort()).toEqual(
          [
            ...["answer", "events", "get_blob", "send_message", "session", "sessions"].map(
              (name) => `pawl_rpc_${name}()`,
            ),
            ...["pawl_answer()", "pawl_send_message()", "pawl_user_id()"],
          ].sort(),
        );
        const verbs = may.filter((one) => one.startsWith("authenticated") && !one.endsWith("()"));
        expect(verbs.length).toBeGreaterThan(0);
        expect(verbs.filter((one) => !one.endsWith(" select"))).toEqual([]);
        // Of these two they read columns.
        expect(verbs.filter((one) => one.includes(" agent_sessions ") || one.includes("_events "))).toEqual(
          [],
        );
        expect(may).toContain("service_role pawl_rpc_append()");
        expect(may).toContain("service_role agent_session_events insert");
      } finally {
        await database.drop();
      }
    },
  );

  it("E9 the command writes the missing files with later times than all others, and nothing twice", async () => {
    const names = Object.keys(supabaseMigrations()).sort();
    const [first = "", ...others] = names;
    await writeFile(
      join(folder, `20200101000000${first.slice(14)}`),
      "an older one, under a time of its own",
    );
    await writeFile(join(folder, "20991231235959_theirs.sql"), "select 1;");
    await writeFile(join(folder, "README.md"), "");
    const said = (await command("migrations", folder)).trim().split("\n");
    expect(said).toEqual(others.map((name, n) => `${21000101000000 + n}${name.slice(14)}`));
    for (const [n, name] of others.entries())
      expect(await readFile(join(folder, said[n] ?? ""), "utf8")).toBe(
        await readFile(new URL(name, own), "utf8"),
      );
    const before = await readdir(folder);
    expect(await command("migrations", folder)).toContain("has all migrations already");
    expect(await readdir(folder)).toEqual(before);

    const fresh = join(folder, "supabase", "migrations");
    await command("migrations", fresh);
    expect((await readdir(fresh)).sort()).toEqual(names);
  });

  it("E9 the command says what is missing", async () => {
    await expect(command("what")).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining("migrations"),
    });
    await expect(command("migrations")).rejects.toMatchObject({ stderr: expect.stringContaining("folder") });
  });
});
