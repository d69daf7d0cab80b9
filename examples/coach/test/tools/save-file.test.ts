import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fileTypes, MAX_CONTENT, readFrontMatter, sessionTypes } from "../../src/index.ts";
import { filesIn, saving, scriptedCoach, tempDir } from "../support/harness.ts";

/** Raises `maxTokens`, so that the model can write the longest file that is allowed. */
const long = { hooks: [{ name: "long", beforeTurn: () => ({ maxTokens: 32_000 }) }] };

describe("save_file", () => {
  it("T1 T4 waits for the write and returns path and size to the model", async () => {
    const content = "# Heute\n\n- früh aufstehen ☀️\n";
    const { ask, dir, model } = await scriptedCoach(saving({ file_type: "day-plan", content }));
    const { actions, stop } = await ask({ input: "Plan" });
    const written = await readFile(join(dir, "ada/day-plans/2026-11-21.md"));
    const result = { success: true, path: "day-plans/2026-11-21.md", bytes: written.byteLength };
    expect(actions).toMatchObject([{ tool: "save_file", success: true, result }]);
    expect(written.toString()).toBe(`---\ntype: day-plan\ndate: 2026-11-21\n---\n\n${content}`);
    expect(model.requests[1]?.messages.at(-1)?.content[0]).toMatchObject({
      type: "tool_result",
      content: JSON.stringify(result),
    });
    expect(stop.type).toBe("end_turn");
  });

  it("X1 puts attributes above the text, so that they cannot break out", async () => {
    const attributes = {
      energy: 'low: "---\n# not a heading',
      domains_touched: ["work", "sleep"],
      status: "okay",
    };
    const { ask, dir } = await scriptedCoach(saving({ file_type: "capture", content: "Hm.", attributes }));
    await ask({ input: "Save" });
    const [path = ""] = await filesIn(dir);
    const file = readFrontMatter(await readFile(join(dir, path), "utf8"));
    expect(file).toEqual({ attributes: { type: "capture", date: "2026-11-21", ...attributes }, body: "Hm." });
  });

  it("X1 accepts 100,000 characters", async () => {
    const content = "a".repeat(MAX_CONTENT);
    const { ask } = await scriptedCoach(saving({ file_type: "capture", content }), undefined, long);
    expect((await ask({ input: "Save" })).actions).toMatchObject([{ success: true }]);
  });

  it("X1 T3 refuses 100,001 characters and says so", async () => {
    const content = "a".repeat(MAX_CONTENT + 1);
    const { ask, dir } = await scriptedCoach(saving({ file_type: "capture", content }), undefined, long);
    const { actions } = await ask({ input: "Save" });
    expect(actions).toMatchObject([{ success: false, result: expect.stringMatching(/content.*100000/s) }]);
    expect(await filesIn(dir)).toEqual([]);
  });

  it.each([
    ["no content", { file_type: "capture", content: "" }],
    ["an unknown type", { file_type: "diary", content: "x" }],
    ["a domain without a name", { file_type: "domain", content: "x" }],
    [
      "an unknown status",
      { file_type: "domain", file_name: "work", content: "x", attributes: { status: "?" } },
    ],
  ])("T3 refuses %s", async (_, input) => {
    const { ask, dir } = await scriptedCoach(saving(input));
    expect((await ask({ input: "Save" })).actions).toMatchObject([{ success: false }]);
    expect(await filesIn(dir)).toEqual([]);
  });

  it("X1 replaces a file whole, shorter text included", async () => {
    const { ask, dir } = await scriptedCoach([
      ...saving({ file_type: "sage-context", content: "A long first version of it." }),
      ...saving({ file_type: "sage-context", content: "Short." }),
    ]);
    const { sessionId } = await ask({ input: "Save" });
    await ask({ input: "Again", sessionId });
    expect(await readFile(join(dir, "ada/sage/context.md"), "utf8")).toMatch(/---\n\nShort\.\n$/);
    expect(await filesIn(dir)).toEqual(["ada/sage/context.md"]);
  });

  it("X1 T6 writes exactly the file types that each type of session allows; together they are all eleven", async () => {
    const written = new Set<string>();
    for (const [type, { writes }] of Object.entries(sessionTypes)) {
      const dir = await tempDir();
      const all = fileTypes.map((file_type) => ({
        file_type,
        content: file_type,
        ...(file_type === "domain" && { file_name: "Work" }),
      }));
      const { ask } = await scriptedCoach(saving(...all), dir);
      const { actions } = await ask({ input: "Save", metadata: { type } });
      const saved = actions.map(({ success }, n) => (success ? fileTypes[n] : undefined));
      expect(new Set(saved.filter((one) => one !== undefined))).toEqual(new Set(writes));
      expect(await filesIn(dir)).toHaveLength(writes.length);
      for (const file of writes) written.add(file);
    }
    expect(written).toEqual(new Set(fileTypes));
  });

  it.each([
    ["a day that does not exist", { file_type: "day-plan", file_name: "2026-02-31" }],
    ["a look back at a day to come", { file_type: "daily-log", file_name: "9999-12-31" }],
    ["a title in place of a day", { file_type: "day-plan", file_name: "my plan" }],
    ["a path in place of a fixed name", { file_type: "sage-context", file_name: "../../etc/passwd" }],
  ])("T3 refuses %s", async (_, input) => {
    const { ask, dir } = await scriptedCoach(saving({ ...input, content: "x" }));
    const { actions } = await ask({ input: "Save" });
    expect(actions).toMatchObject([{ success: false, result: expect.stringContaining("file_name") }]);
    expect(await filesIn(dir)).toEqual([]);
  });

  it("X1 keeps two captures of one day apart", async () => {
    const { ask, dir } = await scriptedCoach(
      saving({ file_type: "capture", content: "One" }, { file_type: "capture", content: "Two" }),
    );
    await ask({ input: "Save" });
    expect(await filesIn(dir)).toHaveLength(2);
  });

  it("T8 records its status in the log", async () => {
    const { ask, pawl } = await scriptedCoach(saving({ file_type: "capture", content: "x" }));
    const { sessionId } = await ask({ input: "Save" });
    const told: (string | undefined)[] = [];
    for await (const event of pawl.store.read(sessionId)) {
      if (event.type === "tool_started" || event.type === "tool_result") told.push(event.data.status);
    }
    expect(told).toEqual(["Saving…", "Saved"]);
  });
});
