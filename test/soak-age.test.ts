import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { filesOf } from "../scripts/lib/files.mjs";
import { commitsSince, currentCode, hasHistory } from "../scripts/lib/history.mjs";
import { findOldSoaks, judgeSoakReport, MOST_COMMITS } from "../scripts/lib/soak-age.mjs";
import {
  commitOf,
  hasFailed,
  pathsLine,
  sectionsOf,
  soakSection,
  withSection,
} from "../scripts/lib/soak-section.mjs";
import { SOAKS, soaksNamed } from "../scripts/lib/soaks.mjs";

const root = new URL("..", import.meta.url).pathname;
const soaks = {
  "test/soak/a.test.ts": ["packages/a/src", "packages/b/src"],
  "test/b.test.ts": ["packages/b/src"],
};
const testResults = [
  { assertionResults: [{ fullName: "a | b", status: "passed", duration: 1_500 }] },
  { assertionResults: [{ fullName: "c", status: "passed", duration: 120_000 }] },
];
const passed = { passed: 2, failed: 0, skipped: 0, report: { testResults } };
const run = { code: "1a2b3c4d", machine: "2026-11-28, 2 cores", notes: ["500 kills", "- Commit: none"] };

/** Returns the report of one soak. */
const reportOf = (result: Parameters<typeof soakSection>[1], code: string | undefined = run.code) =>
  withSection("", "test/soak/a.test.ts", soakSection("test/soak/a.test.ts", result, { ...run, code }, soaks));

/** Returns the outdated sections, where each commit is followed by `count` others. */
const outdated = (report: string, count: number | undefined) =>
  findOldSoaks(report, () => count, soaks).outdated;

describe("B6 the report of a soak", () => {
  it("names its commit, its command and the code that it speaks for", () => {
    expect(reportOf(passed)).toBe(`# Soak report

Written by \`npm run soak\`, one section for each soak; do not edit.

## test/soak/a.test.ts

2026-11-28, 2 cores: 2 passed, 0 failed, 0 skipped

- Commit: 1a2b3c4d
- Command: \`npm run soak a\`
- Speaks for: \`packages/a/src\`, \`packages/b/src\`

| Test | Result | Time |
| --- | --- | --- |
| a \\| b | passed | 1.5 s |
| c | passed | 2.0 min |

- 500 kills
- - Commit: none
`);
  });

  it("replaces the one before it, and leaves the others", () => {
    const two = withSection(reportOf(passed), "test/b.test.ts", "## test/b.test.ts\n\nold\n");
    const again = withSection(two, "test/b.test.ts", "## test/b.test.ts\n\nnew\n");
    expect([...sectionsOf(again).keys()]).toEqual(["test/b.test.ts", "test/soak/a.test.ts"]);
    expect(again).toContain("new");
    expect(again).not.toContain("old");
    expect(sectionsOf(again).get("test/soak/a.test.ts")).toContain("1a2b3c4d");
  });

  it.each([
    ["a test", { ...passed, passed: 1, failed: 1 }],
    ["the whole file", { passed: 0, failed: 1, skipped: 0 }],
  ])("says that it failed if %s failed, and is outdated", (_, result) => {
    const report = reportOf(result);
    expect(report).toContain("**This soak failed**");
    expect(hasFailed(report)).toBe(true);
    expect(hasFailed(reportOf(passed))).toBe(false);
    expect(outdated(report, 0)).toEqual(["test/soak/a.test.ts: failed"]);
  });

  it("is outdated once too many commits have changed its code", () => {
    expect(outdated(reportOf(passed), MOST_COMMITS)).toEqual([]);
    expect(outdated(reportOf(passed), MOST_COMMITS + 1)).toEqual([
      "test/soak/a.test.ts: overtaken by 151 commits since 1a2b3c4d",
    ]);
  });

  it("is judged by the code that it speaks for, since its own commit", () => {
    const asked: unknown[] = [];
    findOldSoaks(
      reportOf(passed, "1a2b3c4d, which added these results"),
      (commit, paths) => {
        asked.push(commit, paths);
        return 0;
      },
      soaks,
    );
    expect(asked).toEqual(["1a2b3c4d", soaks["test/soak/a.test.ts"]]);
  });

  it("is outdated if it ran with changes that are in no commit", () => {
    expect(outdated(reportOf(passed, "1a2b3c4d with uncommitted changes"), 0)).toEqual([
      "test/soak/a.test.ts: ran with uncommitted changes",
    ]);
  });

  it.each([
    ["names no commit", reportOf(passed).replace(/^- Commit: 1.*$/m, ""), 0],
    ["was written without git", reportOf(passed).replace("1a2b3c4d", "unknown"), 0],
    ["names a commit that is not there", reportOf(passed), undefined],
  ])("is of unknown age if it %s", (_, report, count) => {
    expect(outdated(report, count)).toEqual(["test/soak/a.test.ts: of unknown age"]);
  });

  it("is missing if the soak never ran, and of no use if there is no such soak", () => {
    const report = withSection(reportOf(passed), "test/gone.test.ts", "## test/gone.test.ts\n");
    expect(findOldSoaks(report, () => 0, soaks)).toEqual({
      outdated: ["test/gone.test.ts: no longer a soak"],
      absent: ["test/b.test.ts: no section; `npm run soak b` writes it"],
    });
  });
});

describe("B6 soaks", () => {
  it("all say which code they speak for, and that code exists", () => {
    const files = filesOf().filter((path) => path.endsWith(".test.ts"));
    const using = files.filter((path) =>
      /from "[^"]+\/support\/soak\.ts"/.test(readFileSync(join(root, path), "utf8")),
    );
    expect(Object.keys(SOAKS).sort()).toEqual(using.sort());
    for (const paths of Object.values(SOAKS)) expect(paths).not.toEqual([]);
    expect(
      Object.values(SOAKS)
        .flat()
        .filter((path) => !existsSync(join(root, path))),
    ).toEqual([]);
  });

  it("all name a commit in the report", () => {
    const sections = sectionsOf(readFileSync(join(root, "docs/soak-report.md"), "utf8"));
    expect([...sections.values()].filter((section) => commitOf(section) === undefined)).toEqual([]);
    expect([...sections.keys()].filter((name) => !Object.hasOwn(SOAKS, name))).toEqual([]);
  });

  it("all name the code in the report by which they are judged", () => {
    const sections = sectionsOf(readFileSync(join(root, "docs/soak-report.md"), "utf8"));
    for (const [name, section] of sections)
      expect(section, name).toContain(`${pathsLine(SOAKS[name] ?? [])}\n`);
  });

  it("are chosen by the beginnings of their names", () => {
    expect(soaksNamed([], soaks)).toEqual(Object.keys(soaks));
    expect(soaksNamed(["b"], soaks)).toEqual(["test/b.test.ts"]);
    expect(() => soaksNamed(["b", "c"], soaks)).toThrow("No soak is called c");
  });
});

describe("B6 the age of a report", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "pawl-history-"));
    await mkdir(join(folder, "whole"));
    git("init", "--quiet");
    for (const [file, text] of [
      ["a.ts", "1"],
      ["b.ts", "1"],
      ["a.ts", "2"],
    ] as const) {
      await writeFile(join(whole(), file), text);
      git("add", ".");
      git("-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "--quiet", "--message", file);
    }
    git("clone", "--quiet", "--depth", "1", `file://${whole()}`, join(folder, "shallow"));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));
  const whole = () => join(folder, "whole");
  const git = (...args: string[]) =>
    execFileSync("git", args, { cwd: whole(), stdio: "pipe" }).toString().trim();

  it("is the number of commits that changed these paths", () => {
    const first = git("rev-list", "--max-parents=0", "HEAD");
    expect(commitsSince(first, ["a.ts"], whole())).toBe(1);
    expect(commitsSince(first, ["a.ts", "b.ts"], whole())).toBe(2);
    expect(commitsSince("1a2b3c4d", ["a.ts"], whole())).toBeUndefined();
  });

  it("begins at the commit that ran, and changes without a commit are named", async () => {
    const code = git("rev-parse", "--short=8", "HEAD");
    expect(currentCode([], whole())).toBe(code);
    await writeFile(join(whole(), "b.ts"), "3");
    expect(currentCode(["b.ts"], whole())).toBe(code);
    expect(currentCode(["a.ts"], whole())).toBe(`${code} with uncommitted changes`);
    expect(currentCode([], folder)).toBeUndefined();
  });

  it.each(["shallow", "."])("is unknown where history is not there: %s", (name) => {
    expect(hasHistory(whole())).toBe(true);
    expect(hasHistory(join(folder, name))).toBe(false);
    const { ok, lines } = judgeSoakReport(join(folder, name));
    expect(ok).toBe(false);
    expect(lines).toEqual(["soak report: its age is unknown, because git's history is not here"]);
  });
});
