import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { expectPrinted } from "../../../../test/support/printed.ts";
import { userFolderName } from "../../src/files/user-files.ts";
import { filesIn, saving, scriptedCoach, tempDir } from "../support/harness.ts";

const attacks: [name: string, fileName: string][] = [
  ["a step up", "../../etc/passwd"],
  ["a step up with backslashes", "..\\..\\secrets"],
  ["two dots alone", ".."],
  ["two dots in the middle", "a..b/../../c"],
  ["an absolute path", "/etc/cron.d/job"],
  ["a drive letter", "C:\\Windows\\system"],
  ["a folder", "captures/note"],
  ["a NUL that hides an ending", "note\0.sh"],
  ["a line break", "note\n.md"],
  ["a hidden file", ".bashrc"],
  ["a percent-encoded slash", "..%2f..%2fetc"],
  ["a full-width slash", "\uFF0E\uFF0E\uFF0Fetc"],
  ["a one-dot leader that becomes a dot", "\u2024\u2024"],
  ["a division slash", "a\u2215b"],
  ["a right-to-left override", "note\u202Edm.exe"],
  ["a zero-width joiner", "no\u200Dte"],
  ["a variation selector", "note\uFE0F"],
  ["a lone surrogate", "note\uD800"],
  ["an alternate data stream", "note:hidden"],
  ["a device of Windows", "con"],
  ["a trailing dot", "note."],
  ["nothing but spaces", "   "],
  ["a name longer than any title", "x".repeat(61)],
  ["a home folder", "~/note"],
];

describe("save_file: names that lead elsewhere", () => {
  it.each(attacks)("X1 T3 refuses %s", async (_, file_name) => {
    const { ask, dir } = await scriptedCoach(saving({ file_type: "capture", file_name, content: "x" }));
    const { actions } = await ask({ input: "Save" });
    expect(actions).toMatchObject([{ success: false, result: expect.stringContaining("file_name") }]);
    expect(await filesIn(dir)).toEqual([]);
  });

  it.each([
    ["Morning Pages", "morning-pages.md"],
    ["notes.MD", "notes.md"],
    ["Über-uns", "=c3=bcber-uns.md"],
    ["朝の計画", "=e6=9c=9d=e3=81=ae=e8=a8=88=e7=94=bb.md"],
    ["v1.2 draft", "v1.2-draft.md"],
  ])("X1 keeps the plain title %s", async (file_name, expected) => {
    const { ask, dir } = await scriptedCoach(saving({ file_type: "capture", file_name, content: "x" }));
    const { actions } = await ask({ input: "Save" });
    expect(actions).toMatchObject([{ success: true }]);
    expect(await filesIn(dir)).toEqual([`ada/captures/${expected}`]);
  });
});

describe("save_file: links that lead elsewhere", () => {
  const capture = { file_type: "capture", file_name: "note", content: "mine" };

  it("X1 refuses a user's folder that is a link", async () => {
    // No section of the context, and no skill, can be read.
    expectPrinted(
      /^context, \w+: The file could not be (read|listed)\./,
      "skills: The file could not be listed.",
    );
    const [dir, outside] = [await tempDir(), await tempDir()];
    await symlink(outside, join(dir, "ada"));
    const { actions } = await (await scriptedCoach(saving(capture), dir)).ask({ input: "Save" });
    expect(actions).toMatchObject([{ success: false }]);
    expect(await filesIn(outside)).toEqual([]);
  });

  it("X1 refuses a type's folder that is a link", async () => {
    expectPrinted("context, captures: The file could not be listed.");
    const [dir, outside] = [await tempDir(), await tempDir()];
    await mkdir(join(dir, "ada"));
    await symlink(outside, join(dir, "ada", "captures"));
    const { actions } = await (await scriptedCoach(saving(capture), dir)).ask({ input: "Save" });
    expect(actions).toMatchObject([{ success: false }]);
    expect(await filesIn(outside)).toEqual([]);
  });

  it("X1 replaces a file that is a link, and leaves what it pointed to", async () => {
    const [dir, outside] = [await tempDir(), await tempDir()];
    await writeFile(join(outside, "victim"), "untouched");
    await mkdir(join(dir, "ada", "captures"), { recursive: true });
    await symlink(join(outside, "victim"), join(dir, "ada", "captures", "note.md"));
    const { actions } = await (await scriptedCoach(saving(capture), dir)).ask({ input: "Save" });
    expect(actions).toMatchObject([{ success: true }]);
    expect(await readFile(join(outside, "victim"), "utf8")).toBe("untouched");
    expect(await readFile(join(dir, "ada/captures/note.md"), "utf8")).toContain("mine");
  });

  it("X1 writes into a data folder that is itself a link", async () => {
    const [dir, real] = [await tempDir(), await tempDir()];
    await symlink(real, join(dir, "data"));
    const { actions } = await (await scriptedCoach(saving(capture), join(dir, "data"))).ask({
      input: "Save",
    });
    expect(actions).toMatchObject([{ success: true }]);
    expect(await filesIn(real)).toEqual(["ada/captures/note.md"]);
  });
});

describe("save_file: users", () => {
  const plan = (content: string) => saving({ file_type: "day-plan", content });

  it.each([
    ["a slash", "org/ada"],
    ["a step up", "../ada"],
    ["two dots", ".."],
    ["an absolute path", "/ada"],
    ["upper case", "Ada"],
    ["a space", "ada lovelace"],
    ["the shape of a hashed folder", "~0123456789012345678901234567890123456789"],
  ])("X1 keeps a user id with %s apart from all others", async (_, userId) => {
    const dir = await tempDir();
    await (await scriptedCoach(plan("Hers"), dir)).ask({ input: "Save", userId: "ada" });
    await (await scriptedCoach(plan("Theirs"), dir)).ask({ input: "Save", userId });
    const files = await filesIn(dir);
    expect(files).toHaveLength(2);
    expect(files.every((path) => /^(ada|=7e[0-9a-f]{40})\/day-plans\/2026-11-21\.md$/.test(path))).toBe(true);
    expect(await readFile(join(dir, "ada/day-plans/2026-11-21.md"), "utf8")).toContain("Hers");
  });

  it.each(["", "ada\0", "ada\n", "x".repeat(64), "con/..", "Ada"])("X1 hashes the user id %j", (userId) => {
    expect(userFolderName(userId)).toMatch(/^~[0-9a-f]{40}$/);
  });
});
