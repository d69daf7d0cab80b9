import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseEnv } from "node:util";
import { DEFAULT_MODEL, trainerModels } from "@pawl/example-trainer";
import { describe, expect, it } from "vitest";
import { readConfig } from "../../server/config.ts";

describe("readConfig", () => {
  it("X5 needs no variables: the coach is simulated, and its data is in .pawl at the root", () => {
    expect(readConfig({})).toEqual({
      host: "127.0.0.1",
      port: 4321,
      dir: resolve(import.meta.dirname, "../../../../.pawl"),
      files: { directory: resolve(import.meta.dirname, "../../../../.pawl/files") },
      webDir: resolve(import.meta.dirname, "../../dist/web"),
      modelId: "claude-sonnet-5-5",
      rocketLeague: { maxSteps: 10, tokenBudget: 1_000_000 },
      searchDocuments: 50_000,
      trustProxy: false,
      test: false,
    });
  });

  it("X5 takes every name of .env.example", () => {
    const env = {
      ANTHROPIC_API_KEY: "key",
      ANTHROPIC_BASE_URL: "http://127.0.0.1:9",
      COACH_MODEL_ID: "claude-haiku-5-5",
      COACH_MAX_STEPS: "3",
      COACH_TOKEN_BUDGET: "5000",
      SEARCH_DOCUMENTS: "1000",
      HOST: "0.0.0.0",
      PORT: "0",
      PAWL_DIR: "somewhere",
      TRUST_PROXY: "1",
    };
    expect(readConfig(env)).toMatchObject({
      apiKey: "key",
      baseURL: "http://127.0.0.1:9",
      modelId: "claude-haiku-5-5",
      rocketLeague: { maxSteps: 3, tokenBudget: 5_000 },
      searchDocuments: 1_000,
      host: "0.0.0.0",
      port: 0,
      trustProxy: true,
      dir: join(process.cwd(), "somewhere"),
    });
  });

  it("X5 keeps the coach's files in a bucket, if all its variables are set", () => {
    const env = {
      COACH_FILES_BUCKET: "coach",
      SUPABASE_URL: "http://127.0.0.1:9",
      SUPABASE_SECRET_KEY: "sb_secret_x",
    };
    const files = { bucket: "coach", url: "http://127.0.0.1:9", secretKey: "sb_secret_x" };
    expect(readConfig(env).files).toEqual(files);
    for (const name of Object.keys(env))
      expect(() => readConfig({ ...env, [name]: "" })).toThrow("Set all of");
    expect(() => readConfig({ ...env, SUPABASE_URL: "somewhere" })).toThrow("must be an http or https URL");
  });

  it("X5 takes every name of the trainer's .env.example, with its defaults", () => {
    const file = join(import.meta.dirname, "../../../trainer/.env.example");
    const defaults = parseEnv(readFileSync(file, "utf8"));
    expect(readConfig(defaults as Record<string, string>)).toEqual({
      ...readConfig({}),
      trainerModel: "claude-haiku-4-5",
    });
    expect(DEFAULT_MODEL).toBe(defaults.PRIMARY_MODEL);
    const env = {
      ANTHROPIC_API_KEY: "key",
      OPENAI_API_KEY: "other key",
      PRIMARY_MODEL: "claude-opus-4-5",
      SUPABASE_PUBLIC_URL: "https://x.supabase.co",
      SUPABASE_PUBLISHABLE_KEY: "published",
      DATABASE_URL: "postgres://db.example/app",
      HOST: "::1",
      PORT: "1",
    };
    expect(Object.keys(env).sort()).toEqual(Object.keys(defaults).sort());
    expect(readConfig(env)).toMatchObject({
      ...{ apiKey: "key", openaiKey: "other key", trainerModel: "claude-opus-4-5", host: "::1", port: 1 },
      supabase: { url: "https://x.supabase.co", key: "published" },
      databaseUrl: "postgres://db.example/app",
    });
    expect(() => readConfig({ SUPABASE_PUBLIC_URL: "https://x.supabase.co" })).toThrow("both");
    expect(() => readConfig({ ...env, SUPABASE_PUBLIC_URL: "x" })).toThrow("must be an http or https URL");
  });

  it.each(["COACH_MODEL_ID", "PRIMARY_MODEL"])("X5 refuses an unknown model in %s", (name) => {
    for (const id of [...trainerModels, "claude-opus-5", "claude-haiku-4-5-20251001"])
      expect(JSON.stringify(readConfig({ [name]: id }))).toContain(id);
    for (const id of ["haiku", "claude-haiku-4.5", "gpt-4o-mini", "claude-haiku-4-5 "])
      expect(() => readConfig({ [name]: id })).toThrow(
        `${name} is not a known Claude model: "${id}". Known models are, among others, ${trainerModels.join(", ")};`,
      );
    // A server at another base URL may have other model names.
    const ANTHROPIC_BASE_URL = "http://127.0.0.1:9";
    expect(JSON.stringify(readConfig({ [name]: "haiku", ANTHROPIC_BASE_URL }))).toContain("haiku");
  });

  it("X5 refuses an invalid URL of the Messages API", () => {
    expect(() => readConfig({ ANTHROPIC_BASE_URL: "localhost" })).toThrow(
      'ANTHROPIC_BASE_URL must be an http or https URL, not "localhost".',
    );
  });

  it("X5 reads the coach's calendar from a path or a URL, and only on a loopback host", () => {
    const calendar = (COACH_CALENDAR: string, HOST = "") => readConfig({ COACH_CALENDAR, HOST }).calendar;
    expect(calendar("my.ics")).toBe(join(process.cwd(), "my.ics"));
    expect(calendar("https://x.example/basic.ics")).toBe("https://x.example/basic.ics");
    for (const source of [
      "webcal://x.example/a.ics",
      "file:///etc/passwd",
      "ftp://x.example/a.ics",
      "https://",
    ])
      expect(() => calendar(source)).toThrow("COACH_CALENDAR must be a path, or an http or https URL.");
    expect(() => calendar("my.ics", "0.0.0.0")).toThrow("requires a loopback HOST");
  });

  it("X5 keeps log and tables on a Postgres server, and never prints its password", () => {
    const url = "postgres://pawl:secret@db.example:5432/app?sslmode=require";
    expect(readConfig({ DATABASE_URL: url }).databaseUrl).toBe(url);
    expect(readConfig({ DATABASE_URL: "postgresql://db.example/app" }).databaseUrl).toBeDefined();
    for (const DATABASE_URL of ["https://secret@x", "secret", "mysql://pawl:secret@x/y"]) {
      const read = () => readConfig({ DATABASE_URL });
      expect(read).toThrow("DATABASE_URL must be a URL like");
      expect(read).not.toThrow("secret");
    }
  });

  it("X4 refuses a company that is too small or too large", () => {
    for (const SEARCH_DOCUMENTS of ["999", "200001", "1e4", "-5000", "many"])
      expect(() => readConfig({ SEARCH_DOCUMENTS })).toThrow(
        `SEARCH_DOCUMENTS must be a number from 1000 to 200000, not "${SEARCH_DOCUMENTS}".`,
      );
  });

  it("treats an empty variable as absent", () => {
    const empty = { ANTHROPIC_API_KEY: "", ANTHROPIC_BASE_URL: "", PORT: "", PAWL_DIR: "", HOST: "" };
    expect(readConfig(empty)).toEqual(readConfig({}));
  });

  it.each(["http", "-1", "65536", "80 80", "4e3"])("refuses the port %j in one line", (PORT) => {
    expect(() => readConfig({ PORT })).toThrow(`PORT must be a number from 0 to 65535, not "${PORT}".`);
  });
});
