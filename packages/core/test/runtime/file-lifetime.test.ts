import { describe, expect, it } from "vitest";
import * as z from "zod";
import { type FileStore, memoryFiles, memoryStore, tool } from "../../src/index.ts";
import { base64, filing, refusalOf } from "../support/file-runs.ts";
import { pdf, png } from "../support/files.ts";
import { until } from "../support/setup.ts";
import { dyingStore } from "../support/stores.ts";

const hello = { text: "I see." };
const photo = png(300, 200);
const chart = png(40, 30, { seed: 7 });
const input = [
  { type: "file" as const, data: photo, name: "lunch.png" },
  { type: "text" as const, text: "What is this?" },
];
const imageOf = (bytes: Uint8Array) => ({
  type: "image",
  source: { type: "base64", media_type: "image/png", data: base64(bytes) },
});
const draw = tool({
  name: "draw",
  description: "Draws a chart.",
  input: z.object({}),
  idempotent: true,
  execute: () => ({ chart: base64(chart) }),
  format: (result) => [imageOf(Buffer.from((result as { chart: string }).chart, "base64"))],
});

describe("the bytes of a message", () => {
  it("F1 P1 are there whenever the message is, whichever append the process dies at", async () => {
    const rules: Parameters<typeof filing>[0] = ({ messages }) =>
      JSON.stringify(messages).includes("tool_result") ? hello : { tools: [{ name: "draw", input: {} }] };
    let deaths = 0;
    for (let at = 1; ; at += 1) {
      let clock = 0;
      const log = memoryStore({ now: () => clock });
      const files = memoryFiles();
      let appends = 0;
      const store = dyingStore(log, () => ++appends === at);
      const first = filing(rules, { store, files, tools: [draw] });
      const result = first.say(input, { clientMessageId: "m1" }).then(() => true);
      const over = await Promise.race([result, until(() => store.dead).then(() => false)]);
      if (over) break;
      deaths += 1;
      clock += 60_000;
      const next = filing(rules, { store: log, files, tools: [draw] });
      await next.pawl.sweep();
      const { sessionId, stop, text } = await next.say(input, { clientMessageId: "m1" });
      expect([at, stop.type, text]).toEqual([at, "end_turn", "I see."]);
      expect(next.model.rejected).toEqual([]);
      const { text: again } = await filing([hello], { store: log, files }).say("Again?", { sessionId });
      expect(again).toBe("I see.");
      const events = await next.log(sessionId);
      expect(events.filter(({ type }) => type === "user_message")).toHaveLength(2);
      expect(JSON.stringify(events)).not.toContain(base64(photo));
      expect(await next.paths()).toHaveLength(4);
    }
    expect(deaths).toBeGreaterThan(5);
  });

  it("F1 are stored before the message, so that a failing file store leaves no message", async () => {
    const store = memoryStore();
    const down: FileStore = { ...memoryFiles(), put: () => Promise.reject(new Error("disk full")) };
    const { say } = filing([hello], { store, files: down });
    await store.sessions.create({ id: "s1", userId: "ada", agent: "looker" });
    expect(await refusalOf(say(input, { sessionId: "s1" }))).toContain("store_unavailable");
    expect(await Array.fromAsync(store.read("s1"))).toEqual([]);
  });

  it("F1 become a note in later requests once they were deleted or damaged", async () => {
    const { say, pawl, files, sent, model } = filing([hello, hello, hello]);
    const { sessionId } = await say(input);
    const stored = (await files.list("ada/uploads"))
      .map(({ path }) => path)
      .filter((path) => path.length < 80);
    await files.put(stored[0] ?? "", "other bytes");
    await say("And now?", { sessionId });
    const note = { type: "text", text: '[The file "lunch.png" (image/png, 300 × 200 pixels) was deleted.]' };
    expect(sent()[0]).toEqual(note);
    await pawl.files.delete("ada");
    expect(await files.list()).toEqual([]);
    await say("And now?", { sessionId });
    expect(sent()[0]).toEqual(note);
    expect(model.rejected).toEqual([]);
  });

  it("F1 are deleted with the redaction of the last message that has them", async () => {
    const { say, pawl, files, log, paths, sent, model } = filing([hello, hello, hello, hello]);
    const { sessionId } = await say(input);
    await say([{ type: "file", data: photo }], { sessionId });
    const other = await say(input);
    expect(await paths()).toHaveLength(3);
    const messages = (await log(sessionId)).filter(({ type }) => type === "user_message");
    const redact = async (at: number) => {
      await pawl.redact(sessionId, messages[at]?.seq ?? 0, { userId: "ada" });
    };
    const deleted: string[] = [];
    const remove = files.delete;
    files.delete = async (path) => {
      deleted.push(path);
      await remove(path);
    };
    await redact(0);
    expect(await paths()).toHaveLength(3);
    await redact(1);
    expect(await paths()).toHaveLength(2);
    // The bytes were not even deleted for a moment: a reader may come at any time.
    expect(deleted.map((path) => path.split("/").length)).toEqual([4]);
    await pawl.redact(other.sessionId, 3, { userId: "ada" });
    expect(await paths()).toEqual([]);
    await say("Still there?", { sessionId });
    expect(JSON.stringify(sent())).not.toContain("image");
    expect(JSON.stringify(await pawl.view(sessionId, { userId: "ada" }))).not.toContain("lunch.png");
    expect(model.rejected).toEqual([]);
  });

  it("F1 survive the redaction of a message whose files a new message has at the same moment", async () => {
    const files = memoryFiles();
    const { say, pawl, paths, sent } = filing([hello, hello, hello], { files });
    const { sessionId } = await say(input);
    // The new message comes between the look at the uses and the deletion.
    const remove = files.delete;
    files.delete = async (path) => {
      files.delete = remove;
      await remove(path);
      files.delete = async (bytes) => {
        files.delete = remove;
        await say(input, { sessionId: undefined } as never);
        await remove(bytes);
      };
    };
    await pawl.redact(sessionId, 3, { userId: "ada" });
    expect(await paths()).toHaveLength(2);
    await say("Still there?");
    expect(sent()).toHaveLength(1);
  });

  it("F1 are deleted with a session, unless another session has them, and with their user", async () => {
    const { say, pawl, paths, store } = filing([hello, hello, hello, hello]);
    const { sessionId } = await say(input);
    await say([{ type: "file", data: chart }], { sessionId });
    const copy = await pawl.fork(sessionId, { userId: "ada" });
    await say([{ type: "file", data: png(1, 1) }]);
    await say(input, { userId: "eve" });
    expect(await paths()).toHaveLength(8);
    await pawl.files.delete("ada", { sessionId });
    expect(await paths()).toHaveLength(6);
    expect(await store.sessions.get(copy.id)).toBeDefined();
    await pawl.files.delete("ada", { sessionId: copy.id });
    expect(await paths()).toHaveLength(2);
    await pawl.files.delete("ada");
    expect(await paths()).toEqual([]);
    expect(await paths("eve")).toHaveLength(2);
  });
});

describe("files in tool results", () => {
  it("F1 T9 are stored like those of messages, once, and neither in the log nor in the result", async () => {
    const { say, log, sent, model, paths } = filing(
      [{ tools: [{ name: "draw", input: {} }] }, hello, hello],
      {
        tools: [draw],
      },
    );
    const { sessionId, actions } = await say("Draw!");
    expect(sent()[1]).toMatchObject({ type: "tool_result", content: [imageOf(chart)] });
    expect(actions[0]?.result).toEqual({ chart: expect.stringMatching(/^file:[0-9a-f]{64}$/) });
    expect(JSON.stringify(await log(sessionId))).not.toContain(base64(chart));
    expect(await paths()).toHaveLength(2);
    const before = JSON.stringify(sent()[1]);
    await say("Thanks.", { sessionId });
    expect(JSON.stringify(sent()[1])).toBe(before);
    expect(model.rejected).toEqual([]);
  });

  it("F1 are replaced in the result wherever they are, and have at most 100 pages in all", async () => {
    const plans = [pdf(60), pdf(61), pdf(40)];
    const [first = ""] = plans.map((bytes) => base64(bytes));
    const write = tool({
      name: "write",
      description: "",
      input: z.object({}),
      execute: () => ({ list: [first, { url: `data:application/pdf;base64,${first}`, note: "data:x" }] }),
      format: () =>
        plans.map((bytes) => ({
          type: "document",
          title: "plan.pdf",
          source: { type: "base64", media_type: "application/pdf", data: base64(bytes) },
        })),
    });
    const script = [{ tools: [{ name: "write", input: {} }] }, hello];
    const { say, sent, log, model } = filing(script, { tools: [write] });
    const { sessionId, actions } = await say("Go!");
    const reference = expect.stringMatching(/^file:[0-9a-f]{64}$/);
    expect(actions[0]?.result).toEqual({ list: [reference, { url: reference, note: "data:x" }] });
    expect(JSON.stringify(await log(sessionId))).not.toContain(first);
    expect(sent()[1]?.content).toMatchObject([
      { type: "document", title: "plan.pdf" },
      { type: "text", text: "[A file of this result is left out: the result has too many files.]" },
      { type: "document", title: "plan.pdf" },
    ]);
    expect(model.rejected).toEqual([]);
  });

  it("F1 that no model reads become notes", async () => {
    const odd = imageOf(png(1, 1).slice(0, 14));
    const huge = imageOf(png(9_000, 9_000));
    const bad = tool({
      name: "bad",
      description: "",
      input: z.object({}),
      execute: () => "done",
      format: () => [odd, huge, imageOf(chart)],
    });
    const { say, sent, model } = filing([{ tools: [{ name: "bad", input: {} }] }, hello], { tools: [bad] });
    await say("Go!");
    expect(model.rejected).toEqual([]);
    expect(sent()[1]?.content).toEqual([
      { type: "text", text: expect.stringContaining("left out: The picture is damaged") },
      { type: "text", text: expect.stringContaining("9000 × 9000 pixels") },
      imageOf(chart),
    ]);
  });

  it("F1 E2 stay in the log if the file store fails, so that the result is not lost", async () => {
    const reports: unknown[] = [];
    const down: FileStore = { ...memoryFiles(), put: () => Promise.reject(new Error("disk full")) };
    const { say, sent } = filing(
      [{ tools: [{ name: "draw", input: {} }] }, hello],
      { tools: [draw], files: down },
      { onError: (error) => reports.push(error) },
    );
    expect((await say("Draw!")).stop.type).toBe("end_turn");
    expect(sent()[1]).toMatchObject({ content: [imageOf(chart)] });
    expect(reports).toHaveLength(1);
  });
});
