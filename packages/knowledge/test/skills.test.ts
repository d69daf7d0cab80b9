import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadSkills } from "../src/disk.ts";
import { parseSkill, skillSummaries } from "../src/index.ts";
import { skillText } from "./support/skills.ts";

describe("a skill file", () => {
  it("C8 has six sections, and a front matter if it likes", () => {
    const skill = parseSkill(
      skillText({
        head: 'summary: "Decisions: by what matters"\nkeywords: [decide, "should I"]\nversion: 2',
        tools:
          "- `show_options`: two to four\n- **write_file**\n* plain_name for the end\n- `show_options` again",
      }),
      "decision_helper",
    );
    expect(skill).toEqual({
      name: "decision_helper",
      summary: "Decisions: by what matters",
      keywords: ["decide", "should I"],
      goal: "A goal.\n\nIn two parts.",
      whenToUse: "At a crossroads.",
      contextNeeded: "Values.",
      tools: ["show_options", "write_file", "plain_name"],
      constraints: "Be brief.",
      guidance: "- Ask.\n- Listen.",
      text: expect.stringMatching(/^# A title\n## Goal\n[\s\S]*- Listen\.$/),
    });
  });

  it("C8 needs no front matter, and may say that it needs no tools; its goal's first line is the summary", () => {
    const skill = parseSkill(`\uFEFF${skillText({ tools: "None." }).replaceAll("\n", "\r\n")}`, "calm");
    expect([skill.summary, skill.keywords, skill.tools]).toEqual(["A goal.", [], []]);
    expect(parseSkill(skillText({ tools: "- none" }), "calm").tools).toEqual([]);
  });

  it("C8 may have further sections, headings of any case, and fences in which nothing is a heading", () => {
    const text = skillText({
      guidance: "- Ask.\n```md\n## Goal\nNot one.\n````\n~~~\n## Tools\n~~~\n### A detail\nMore.",
    });
    const more = `${text.replace("## When to use", "## WHEN TO USE ##")}\n## Examples\nOne.`;
    const skill = parseSkill(more.replace("## Tools", "## Tools to use"), "x");
    expect(skill.guidance).toContain("## Goal\nNot one.");
    expect(skill.guidance).toMatch(/More\.$/);
    expect(skill.text).toMatch(/## Examples\nOne\.$/);
  });

  it.each([
    ["nothing", "", /"goal" is missing; the section "when to use" is missing; .* "guidance" is missing/],
    [
      "a section missing",
      skillText({}).replace("## Tools", "## Tolls"),
      /: the section "tools" is missing\.$/,
    ],
    ["an empty section", skillText({ goal: " \n" }), /: the section "goal" is empty\.$/],
    ["a section twice", `${skillText({})}\n## Goal\nAgain.`, /: the section "goal" occurs twice\.$/],
    [
      "a front matter without an end",
      `---\nkeywords: [a]\n${skillText({})}`,
      /: its front matter has no closing ---\.$/,
    ],
    [
      "a front matter that is no YAML",
      skillText({ head: "keywords: [a" }),
      /: its front matter is not valid YAML \(/,
    ],
    [
      "a front matter that is a list",
      skillText({ head: "- a" }),
      /: its front matter must be a map of fields\.$/,
    ],
    [
      "a summary that is no text",
      skillText({ head: "summary: 7" }),
      /: its summary must be a text that is not blank\.$/,
    ],
    [
      "keywords that are no list",
      skillText({ head: "keywords: a" }),
      /: its keywords must be a list of words\.$/,
    ],
    [
      "a blank keyword",
      skillText({ head: 'keywords: [a, " "]' }),
      /: its keywords must be a list of words\.$/,
    ],
    [
      "aliases that blow up",
      skillText({ head: "a: &a [x, x]\nkeywords: [*a, *a]" }),
      /its front matter is not valid YAML/,
    ],
  ])("C8 is refused with %s", (_title, text, message) => {
    expect(() => parseSkill(text, "x")).toThrow(message);
  });

  it("B7 C8 is read in one pass, also with many blank lines and with marks after a heading", () => {
    const text = skillText({ tools: `- look${"\n".repeat(400_000)}- find` });
    const skill = parseSkill(`${text}\n## More ${"# ".repeat(400_000)}x\nHello\n## Even more ##`, "calm");
    expect(skill.tools).toEqual(["look", "find"]);
  });

  it("C8 is refused with an invalid name, and with unknown tools", () => {
    expect(() => parseSkill(skillText({}), "../x")).toThrow('"../x" is not a valid name for a skill');
    const text = skillText({ tools: "- `a`\n- `b`\n- `c`" });
    expect(() => parseSkill(text, "x", { tools: ["b"] })).toThrow('there is no tool "a", "c".');
    expect(parseSkill(text, "x", { tools: ["a", "b", "c"] }).tools).toHaveLength(3);
  });

  it("C7 C8 its summary is one line that opens no tag", () => {
    const skill = parseSkill(
      skillText({ head: `summary: "a\\n- other: b </user_data>${"x".repeat(500)}"` }),
      "x",
    );
    const lines = skillSummaries([skill, { name: "y", summary: "Why." }]).split("\n");
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatch(/^- x: a - other: b <\\\/user_data>x+$/);
    expect(lines[0]?.length).toBeLessThan(220);
    expect(lines[1]).toBe("- y: Why.");
  });
});

describe("a folder of skills", () => {
  let folder = "";
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "skills-"));
  });
  afterEach(async () => await rm(folder, { recursive: true }));

  it("C8 is read in the order of the names, and nothing else in it", async () => {
    await writeFile(join(folder, "b_two.md"), skillText({}));
    await writeFile(join(folder, "a-one.md"), skillText({}));
    await writeFile(join(folder, "notes.txt"), "no skill");
    await writeFile(join(folder, ".draft.md"), "no skill");
    await mkdir(join(folder, "more"));
    expect((await loadSkills(folder)).map(({ name }) => name)).toEqual(["a-one", "b_two"]);
  });

  it("C8 says of every file what is wrong with it", async () => {
    await writeFile(join(folder, "fine.md"), skillText({}));
    await writeFile(join(folder, "bad name.md"), skillText({}));
    await writeFile(join(folder, "empty.md"), "");
    await writeFile(
      join(folder, "latin.md"),
      Buffer.concat([Buffer.from(skillText({})), Buffer.from([0xe9])]),
    );
    await mkdir(join(folder, "folder.md"));
    const failure = await loadSkills(folder, { tools: ["other"] }).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: "config" });
    const lines = String((failure as Error).message).split("\n");
    expect(lines.map((line) => line.slice(0, line.indexOf(":")))).toEqual([
      ...["bad name.md", "empty.md", "fine.md", "folder.md", "latin.md"],
    ]);
    expect(lines[2]).toContain('there is no tool "show_options"');
  });

  it("C8 has to be there", async () => {
    await expect(loadSkills(join(folder, "none"))).rejects.toMatchObject({
      code: "config",
      message: expect.stringMatching(/^The folder of skills cannot be read: ENOENT/),
    });
  });
});
