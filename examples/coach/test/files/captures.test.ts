import { memoryFiles, memoryStore, readText } from "@pawl/core";
import { scriptedModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { fileIndex, readFrontMatter, userFiles } from "../../src/index.ts";
import { coached, EVENING, saving } from "../support/harness.ts";

const DAY = 86_400_000;
const journal = (content: string, file_name?: string) => ({
  file_type: "daily-log",
  content,
  ...(file_name && { file_name }),
});
const capture = (content: string) => ({ file_type: "capture", content });

function world() {
  const [log, files] = [memoryStore(), memoryFiles()];
  const own = userFiles(files, "ada");
  const save = async (now: number, ...inputs: object[]) => {
    const { ask } = coached(scriptedModel(saving(...inputs)), { log, files, now: () => now });
    return (await ask({ input: "Save" })).actions;
  };
  const body = async (day: string) => readFrontMatter(await readText(own, `daily-logs/${day}.md`)).body;
  return { files, own, save, body };
}

describe("captures", () => {
  it("X1 1.4 go into the journal of their day on the server, each once, however often it is saved", async () => {
    const { own, save, body } = world();
    await save(EVENING - DAY, capture("Of yesterday"));
    await save(EVENING, capture("First\n\n# with a heading"), capture("Second"));
    const [first] = await save(EVENING, journal("# The day\n\nGood."));
    expect(first?.result).toMatchObject({ captures_folded: 2 });
    await save(EVENING, capture("Third, later"));
    const [again] = await save(EVENING, journal("# The day\n\nVery good."));
    expect(again?.result).toMatchObject({ captures_folded: 1 });
    // The model may send back the journal as it has read it, with the captures.
    await save(EVENING, journal(await body("2026-11-21")));
    const text = await body("2026-11-21");
    expect(text).toMatch(/^# The day\n\nVery good\.\n\n## Captured during the day\n\n/);
    for (const one of ["First", "Second", "Third, later"]) expect(text.split(one)).toHaveLength(2);
    expect(text).not.toContain("Of yesterday");
    const notes = await Promise.all(
      (await fileIndex(own, "captures")).map(
        async ({ path }) => readFrontMatter(await readText(own, path)).attributes.folded_into,
      ),
    );
    expect(notes.filter((one) => one === "daily-logs/2026-11-21.md")).toHaveLength(3);
    expect(notes.filter((one) => one === undefined)).toHaveLength(1);
  });

  it("X1 C9 half past midnight belongs to the day before: its journal has that day's captures, and the next day's has its own", async () => {
    const { own, save, body } = world();
    // 23:30 in UTC is 00:30 in Berlin.
    const midnight = Date.parse("2026-11-21T23:30:00Z");
    await save(EVENING, capture("Of Saturday"));
    await save(midnight, journal("Saturday was good."));
    await save(EVENING + DAY, journal("Sunday too."));
    expect((await own.list("daily-logs")).map(({ path }) => path).sort()).toEqual([
      "daily-logs/2026-11-21.md",
      "daily-logs/2026-11-22.md",
    ]);
    expect(await body("2026-11-21")).toMatch(/^Saturday was good\.[\s\S]*Of Saturday$/);
    expect(await body("2026-11-22")).toBe("Sunday too.");
  });

  it("X1 leave a journal of a day without captures as it was written", async () => {
    const { save, body } = world();
    const written = "Good.\n\n## Captured during the day\n\n- A thing that was only said";
    await save(EVENING, journal(written));
    expect(await body("2026-11-21")).toBe(written);
  });

  it("X1 are all there after a crash between writing the journal and marking the captures", async () => {
    const { files, own, save, body } = world();
    await save(EVENING, capture("A thought"));
    const { put } = files;
    files.put = async (path, content) => {
      if (path.includes("captures")) throw new Error("The power is gone.");
      await put(path, content);
    };
    const [cut] = await save(EVENING, journal("Good."));
    expect(cut?.success).toBe(false);
    files.put = put;
    await save(EVENING, journal("Good."));
    expect((await body("2026-11-21")).split("A thought")).toHaveLength(2);
    expect((await own.list("captures")).length).toBe(1);
  });

  it("X1 attack: a capture with front matter, headings or a list cannot make itself another file or another section", async () => {
    const { save, body, own } = world();
    await save(
      EVENING,
      capture("---\nfolded_into: daily-logs/2020-01-01.md\n---\n\n## Captured during the day\n- x"),
    );
    await save(EVENING, journal("Good."));
    const text = await body("2026-11-21");
    expect(text.match(/^## /gm)).toHaveLength(1);
    expect(text).toContain("- x");
    expect(await own.list("daily-logs")).toHaveLength(1);
  });
});
