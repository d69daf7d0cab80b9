import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { memoryFiles, PawlError, readText } from "@pawl/core";
import { diskFiles } from "@pawl/core/disk";
import { contentTypeOf, pathOfStored, storedPath } from "@pawl/core/store";
import { fileStoreContract } from "@pawl/testing";
import * as fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { bundled } from "../../../../test/support/bundled.ts";
import { pause } from "../../../../test/support/pause.ts";

const made: string[] = [];
afterEach(async () => {
  for (const place of made.splice(0)) await rm(place, { recursive: true, force: true });
});

async function place(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "pawl-files-"));
  made.push(directory);
  return directory;
}

async function filesIn(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(directory.length + 1))
    .sort();
}

describe("E9 memoryFiles", () => {
  for (const { name, run } of fileStoreContract(async () => ({ files: memoryFiles() }))) it(name, run);
});

describe("E9 diskFiles", () => {
  const make = async () => ({ files: diskFiles(join(await place(), "made/when/needed")) });
  for (const { name, run } of fileStoreContract(make)) it(name, run);
});

describe("stored names of files", () => {
  it("X1 are ASCII without upper case, and lead back to their path", () => {
    const name = fc.string({ unit: "binary", minLength: 1, maxLength: 12 });
    const seen = new Map<string, string>();
    void fc.assert(
      fc.property(fc.array(name, { minLength: 1, maxLength: 4 }), (names) => {
        const path = names.join("/").normalize("NFC");
        const stored = attempt(() => storedPath(path));
        if (stored === undefined) return;
        expect(stored).toMatch(/^[a-z0-9.=/-]+$/);
        expect(stored).not.toMatch(/(^|\/)\.|\.(\/|$)/);
        expect(pathOfStored(stored)).toBe(path);
        expect(seen.get(stored) ?? path).toBe(path);
        seen.set(stored, path);
      }),
      { numRuns: 3000 },
    );
  });

  it.each([
    "README.md",
    "a b.md",
    ".drafts/x",
    "a",
    "con.md",
    "=2E=2e.md",
    "a=.md",
    "a%20b.md",
    "=ff.md",
    "a.b/c.md",
    "",
    "=",
  ])("X1 %j was not made by a store", (stored) => expect(pathOfStored(stored)).toBeUndefined());

  it.each([
    ["note.md", "text/markdown"],
    ["a.b/NOTE.MD", "text/markdown"],
    ["archive.tar.constructor", "application/octet-stream"],
    ["folder.md/file", "application/octet-stream"],
    [".md", "application/octet-stream"],
    ["note", "application/octet-stream"],
  ])("E5 %s is %s", (path, type) => expect(contentTypeOf(path)).toBe(type));
});

describe("diskFiles: the directory", () => {
  it("X1 has plain names for plain paths", async () => {
    const directory = await place();
    const files = diskFiles(directory);
    await files.put("ada/notes/2026-11-21.md", "x");
    await files.put("ada/Über uns.md", "y");
    expect(await filesIn(directory)).toEqual(["ada/=c3=9cber=20uns.md", "ada/notes/2026-11-21.md"]);
    expect((await stat(join(directory, "ada/notes/2026-11-21.md"))).mode & 0o777).toBe(0o600);
    expect((await stat(join(directory, "ada"))).mode & 0o777).toBe(0o700);
  });

  it("X1 refuses a folder that is a link, for every method", async () => {
    const [directory, outside] = [await place(), await place()];
    await writeFile(join(outside, "secret.md"), "secret");
    await symlink(outside, join(directory, "ada"));
    const files = diskFiles(directory);
    for (const work of [
      () => files.put("ada/new.md", "x"),
      () => files.get("ada/secret.md"),
      () => files.list("ada"),
      () => files.delete("ada/secret.md"),
    ]) {
      await expect(work()).rejects.toMatchObject({ code: "store_unavailable" });
    }
    expect(await files.list()).toEqual([]);
    expect(await filesIn(outside)).toEqual(["secret.md"]);
  });

  it("X1 replaces and deletes a file that is a link, and never reads it", async () => {
    const [directory, outside] = [await place(), await place()];
    await writeFile(join(outside, "secret"), "secret");
    await symlink(join(outside, "secret"), join(directory, "a.md"));
    await symlink(join(outside, "secret"), join(directory, "b.md"));
    const files = diskFiles(directory);
    expect(await files.list()).toEqual([]);
    await expect(files.get("a.md")).rejects.toMatchObject({ code: "store_unavailable" });
    await files.put("a.md", "mine");
    await files.delete("b.md");
    expect(await readText(files, "a.md")).toBe("mine");
    expect(await readFile(join(outside, "secret"), "utf8")).toBe("secret");
    expect(await filesIn(directory)).toEqual(["a.md"]);
  });

  it("X1 does not wait for a pipe, and ignores files that are not its own", async () => {
    const directory = await place();
    await promisify(execFile)("mkfifo", [join(directory, "pipe.md")]);
    await writeFile(join(directory, "README.md"), "not ours");
    await mkdir(join(directory, ".git"));
    await writeFile(join(directory, ".git", "config.md"), "not ours");
    await mkdir(join(directory, "folder.md"));
    const files = diskFiles(directory);
    await expect(files.get("pipe.md")).rejects.toMatchObject({ code: "store_unavailable" });
    await expect(files.put("folder.md", "x")).rejects.toMatchObject({ code: "store_unavailable" });
    expect(await files.list()).toEqual([]);
    await expect(files.get("README.md")).rejects.toMatchObject({ code: "not_found" });
  });

  it("X1 may be a link itself, and a relative one stays where it was", async () => {
    const [directory, real] = [await place(), await place()];
    await symlink(real, join(directory, "data"));
    await diskFiles(join(directory, "data")).put("note.md", "x");
    expect(await filesIn(real)).toEqual(["note.md"]);
  });

  it("X1 does not reveal its place on disk in messages and details", async () => {
    const directory = await place();
    await writeFile(join(directory, "file"), "x");
    const files = diskFiles(join(directory, "file"));
    for (const work of [
      () => files.put("a.md", "x"),
      () => files.get("a.md"),
      () => files.list(),
      () => files.delete("a.md"),
    ]) {
      const error = await work().catch((thrown: unknown) => thrown);
      expect(PawlError.is(error, "store_unavailable")).toBe(true);
      expect(`${(error as PawlError).message} ${JSON.stringify((error as PawlError).details)}`).not.toContain(
        directory,
      );
    }
  });
});

describe("diskFiles: crashes and failures", () => {
  it("X1 E2 a process that is killed while it writes leaves one content or another, never a part", {
    timeout: 60_000,
  }, async () => {
    const directory = await place();
    const files = diskFiles(directory);
    // As it runs in other Nodes, too: the sources have syntax of this one.
    const program = await bundled(join(import.meta.dirname, "..", "support", "writing-program.ts"));
    for (const ms of [0, 3, 7, 12, 20]) {
      const child = execFile(process.execPath, [program, directory]);
      await new Promise((resolve) => child.stdout?.once("data", resolve));
      await pause(ms, "another process is writing to a disk, and is killed at some point of that");
      const gone = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGKILL");
      await gone;
      const text = await readText(files, "ada/note.md");
      expect(text).toBe((text[0] ?? "").repeat(2_000_000));
      expect(await files.list()).toMatchObject([{ path: "ada/note.md", size: 2_000_000 }]);
    }
  });

  it("X1 removes drafts that a crash has left a day ago, and no younger ones", async () => {
    const directory = await place();
    await mkdir(join(directory, ".drafts"));
    await writeFile(join(directory, ".drafts", "old"), "x");
    await writeFile(join(directory, ".drafts", "young"), "x");
    await utimes(join(directory, ".drafts", "old"), 0, Date.now() / 1000 - 25 * 3600);
    await diskFiles(directory).put("a.md", "x");
    expect(await filesIn(directory)).toEqual([".drafts/young", "a.md"]);
  });

  it("X1 a write that fails leaves the old content and no draft", async () => {
    const directory = await place();
    const files = diskFiles(directory);
    await mkdir(join(directory, "a.md"));
    await writeFile(join(directory, "a.md", "x"), "x");
    await expect(files.put("a.md", "x")).rejects.toMatchObject({ code: "store_unavailable" });
    expect(await filesIn(directory)).toEqual(["a.md/x"]);
  });

  it("X1 takes a large file", async () => {
    const files = diskFiles(await place());
    const content = new Uint8Array(80_000_000).fill(7);
    await files.put("large.bin", content);
    const read = await files.get("large.bin");
    expect(Buffer.compare(read.content, content)).toBe(0);
  });
});

function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (!PawlError.is(error, "invalid_input")) throw error;
    return undefined;
  }
}
