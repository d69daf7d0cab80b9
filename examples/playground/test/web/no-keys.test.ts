import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { build } from "vite";
import { describe, expect, it, onTestFinished, vi } from "vitest";

const EXAMPLES = join(import.meta.dirname, "..", "..", "..");

/** The names of all variables of the examples. */
async function variables(): Promise<string[]> {
  const files = ["coach", "trainer", "rocket-league-coach", "playground"].map((name) =>
    join(EXAMPLES, name, ".env.example"),
  );
  const texts = await Promise.all(files.map((file) => readFile(file, "utf8")));
  return [...new Set(texts.flatMap((text) => Object.keys(parseEnv(text))))];
}

describe("the built page", () => {
  it("X5 contains no key, no secret and no name of a variable, whatever is set when it is built", async () => {
    const names = await variables();
    expect(names).toEqual(
      expect.arrayContaining(["ANTHROPIC_API_KEY", "SUPABASE_SECRET_KEY", "DATABASE_URL"]),
    );
    const secret = (name: string) => `hidden-${name.toLowerCase()}-0123456789`;
    for (const name of names) vi.stubEnv(name, secret(name));
    onTestFinished(() => void vi.unstubAllEnvs());
    const outDir = await mkdtemp(join(tmpdir(), "pawl-built-"));
    onTestFinished(() => rm(outDir, { recursive: true, force: true }));
    const root = join(EXAMPLES, "playground");
    await build({
      root: join(root, "web"),
      configFile: join(root, "vite.config.ts"),
      logLevel: "silent",
      build: { outDir, emptyOutDir: true },
    });
    const files = await readdir(outDir, { recursive: true, withFileTypes: true });
    const texts = await Promise.all(
      files.filter((file) => file.isFile()).map((file) => readFile(join(file.parentPath, file.name), "utf8")),
    );
    const page = texts.join("\n");
    expect(page.length).toBeGreaterThan(100_000);
    // HOST and PORT are ordinary words too.
    const forbidden = names.filter((name) => name.includes("_"));
    expect([...forbidden, ...names.map(secret)].filter((word) => page.includes(word))).toEqual([]);
    expect(page).not.toMatch(/sk-ant-|sb_secret_|process\.env\.(?!NODE_ENV)/);
  });
});
