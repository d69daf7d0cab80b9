import { scriptedModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { agent, memoryFiles, memoryStore, runtime } from "../../../src/index.ts";
import { base64, filing, refusalOf } from "../../support/file-runs.ts";
import { jpeg, pdf, png, utf8 } from "../../support/files.ts";

const hello = { text: "I see." };

describe("a message with files", () => {
  it("F1 stores the bytes once, a reference in the log, and sends base64", async () => {
    const { say, model, log, sent, paths } = filing([hello, hello]);
    const photo = jpeg(800, 600);
    const { sessionId } = await say([
      { type: "file", data: photo, name: "lunch.jpg" },
      { type: "file", data: base64(pdf(3)), name: "plan.pdf" },
      { type: "file", data: new Blob([utf8("# Notes")]) },
      { type: "text", text: "What is this?" },
    ]);
    expect(model.rejected).toEqual([]);
    expect(sent()).toEqual([
      { type: "image", source: { type: "base64", media_type: "image/jpeg", data: base64(photo) } },
      {
        type: "document",
        title: "plan.pdf",
        source: { type: "base64", media_type: "application/pdf", data: base64(pdf(3)) },
      },
      { type: "document", source: { type: "text", media_type: "text/plain", data: "# Notes" } },
      { type: "text", text: "What is this?" },
    ]);
    const message = (await log(sessionId)).find(({ type }) => type === "user_message");
    expect(message?.data).toMatchObject({
      message: "What is this?",
      files: [
        { media_type: "image/jpeg", bytes: photo.length, name: "lunch.jpg", width: 800, height: 600 },
        { media_type: "application/pdf", name: "plan.pdf", pages: 3 },
        { media_type: "text/plain", bytes: 7 },
      ],
    });
    expect(JSON.stringify(await log(sessionId))).not.toContain(base64(photo).slice(0, 40));
    expect(await paths()).toHaveLength(6);
    await say([{ type: "file", data: photo }], { sessionId });
    expect(await paths()).toHaveLength(6);
  });

  it("F1 sends the same prefix in every later request, so that the cache is hit", async () => {
    const { say, model } = filing([hello, hello, hello]);
    const { sessionId } = await say([
      { type: "file", data: png(900, 900, { bytes: 20_000 }) },
      { type: "text", text: "And this?" },
    ]);
    await say("Again.", { sessionId });
    const { usage } = await say("And again.", { sessionId });
    const [first, second, third] = model.requests.map(({ messages }) =>
      JSON.stringify(messages).replaceAll(',"cache_control":{"type":"ephemeral"}', "").slice(0, -1),
    );
    expect(second?.startsWith(first ?? "-")).toBe(true);
    expect(third?.startsWith(second ?? "-")).toBe(true);
    expect(usage.cacheReadTokens).toBeGreaterThan(1_000);
    expect(model.rejected).toEqual([]);
  });

  it("F1 takes the id of a file that was uploaded before", async () => {
    const { say, pawl, sent } = filing([hello]);
    const { id, ...facts } = await pawl.files.put("ada", png(5, 6));
    expect(facts).toEqual({ mediaType: "image/png", bytes: 67, width: 5, height: 6 });
    await say([{ type: "file", id, name: "dot.png" }]);
    expect(sent()).toEqual([
      { type: "image", source: { type: "base64", media_type: "image/png", data: base64(png(5, 6)) } },
    ]);
  });

  it("F1 refuses ids that the user does not have, before anything is stored", async () => {
    const { say, pawl, store, paths } = filing([hello]);
    const { id } = await pawl.files.put("eve", png(5, 6));
    for (const forged of [id, "0".repeat(64)])
      expect(await refusalOf(say([{ type: "file", id: forged }]))).toBe(
        "invalid_input: A file of the message does not exist. Upload it again.",
      );
    for (const odd of ["", "../eve/uploads/x", id.toUpperCase(), `${id}/x`])
      expect(await refusalOf(say([{ type: "file", id: odd }]))).toContain("is not the id of a file");
    expect(await refusalOf(pawl.files.get("ada", id))).toContain("not_found");
    expect(await store.sessions.list({ userId: "ada" })).toEqual([]);
    expect(await paths()).toEqual([]);
  });

  it.each([
    ["no part", [], "The message is empty"],
    ["blank text", [{ type: "text", text: " " }], "The message is empty"],
    [
      "a part of another type",
      [{ type: "image" }],
      '`input[0]` of run() must have the `type` "text" or "file"; got "image". Pictures and documents are files too.',
    ],
    ["neither bytes nor an id", [{ type: "file" }], "needs either `data`"],
    ["both", [{ type: "file", data: "", id: "x" }], "needs either `data`"],
    [
      "a type of the client's",
      [{ type: "file", data: "", mediaType: "image/png" }],
      "read from the file's bytes",
    ],
    ["no base64", [{ type: "file", data: "###" }], "`input[0].data` is not valid base64"],
    [
      "a path",
      [
        { type: "text", text: "See?" },
        { type: "file", data: "lunch.png" },
      ],
      "`input[1].data` is not valid base64. A path or a URL is not loaded: pass the file's bytes",
    ],
    ["a URL", [{ type: "file", data: "https://x.example/a.png" }], "A path or a URL is not loaded"],
    [
      "a data: URL",
      [{ type: "file", data: "data:image/png;base64,AAAA" }],
      "`input[0].data` is not valid base64: it is a `data:` URL. Pass only what follows `;base64,`.",
    ],
    [
      "one of several files, by its name",
      [
        { type: "file", data: "YQ==", name: "a.txt" },
        { type: "file", data: "AAAA", name: "b.zip" },
      ],
      "invalid_input: b.zip: The file is of an unknown type.",
    ],
    [
      "one of several files, by its place",
      [
        { type: "text", text: "See?" },
        { type: "file", data: "YQ==" },
        { type: "file", data: "AAAA" },
      ],
      "invalid_input: File 2: The file is of an unknown type.",
    ],
    ["a number", [{ type: "file", data: 7 }], "must be a Uint8Array, a Blob"],
    ["21 files", Array.from({ length: 21 }, () => ({ type: "file", data: "YQ==" })), "At most 20 files"],
    [
      "large files",
      Array.from({ length: 3 }, () => ({ type: "file", data: png(9, 9, { bytes: 7_000_000 }) })),
      "at most 20000000 bytes in all",
    ],
    ["long PDFs", [60, 60].map((pages) => ({ type: "file", data: pdf(pages) })), "at most 100 pages"],
  ])("F1 refuses %s, before anything is stored", async (_, input, why) => {
    const { say, store, paths } = filing([hello]);
    const refusal = await refusalOf(say(input as never));
    expect(refusal).toContain("invalid_input: ");
    expect(refusal).toContain(why);
    expect(await store.sessions.list({ userId: "ada" })).toEqual([]);
    expect(await paths()).toEqual([]);
  });

  it("F1 refuses what the agent's model cannot read, before anything is stored", async () => {
    const blind = scriptedModel([], { id: "blind", reads: ["image"] });
    const { say, store, paths } = filing([], { model: blind });
    expect(await refusalOf(say([{ type: "file", data: pdf(1) }]))).toBe(
      "invalid_input: The model blind cannot read files of the type application/pdf.",
    );
    expect(await store.sessions.list({ userId: "ada" })).toEqual([]);
    expect(await paths()).toEqual([]);
  });

  it("F1 refuses files without a place for them", async () => {
    const plain = agent({ name: "plain", model: scriptedModel([hello]), instructions: "Hi." });
    const pawl = runtime({ agents: [plain], store: memoryStore() });
    const input = [{ type: "file" as const, data: png(1, 1) }];
    expect(await refusalOf(pawl.run("plain", { userId: "ada", input }).result)).toContain(
      "invalid_input: Messages cannot have files here",
    );
    expect(await refusalOf(pawl.files.put("ada", png(1, 1)))).toContain("needs the option `files`");
    const parts = [
      { type: "text" as const, text: "a" },
      { type: "text" as const, text: "b" },
    ];
    expect((await pawl.run("plain", { userId: "ada", input: parts }).result).text).toBe("I see.");
  });

  it("F1 stores a message that is sent again once, and refuses other files under its id", async () => {
    const { say, log } = filing([hello]);
    const input = [{ type: "file" as const, data: png(1, 2) }];
    const { sessionId } = await say(input, { clientMessageId: "m1" });
    expect((await say(input, { clientMessageId: "m1" })).sessionId).toBe(sessionId);
    expect((await log(sessionId)).filter(({ type }) => type === "user_message")).toHaveLength(1);
    expect(await refusalOf(say([{ type: "file", data: png(1, 3) }], { clientMessageId: "m1" }))).toContain(
      "other files",
    );
  });

  it("F1 cleans a file's name, and gives users with any id a folder of their own", async () => {
    const files = memoryFiles();
    const { say, log } = filing([hello, hello, hello, hello], { files });
    const input = [{ type: "file" as const, data: png(1, 2), name: `\u202egnp.exe\0\n${"x".repeat(300)}` }];
    const { sessionId } = await say(input, { userId: "../ada" });
    const message = (await log(sessionId)).find(({ type }) => type === "user_message");
    expect(message?.data).toMatchObject({ files: [{ name: `gnp.exe${"x".repeat(193)}` }] });
    const nameOf = async (name: string) => {
      const one = await say([{ type: "file", data: png(1, 2), name }], { userId: "../ada" });
      const stored = (await log(one.sessionId)).find((event) => event.type === "user_message");
      return stored?.type === "user_message" ? stored.data.files?.[0]?.name : expect.unreachable();
    };
    expect(await nameOf("\u061c\u202eexe.gnp\u2066\u200b\u{e0041}\u{e0100}\u2028.png")).toBe("exe.gnp.png");
    // Joiners and the selectors of emoji are parts of words and pictures.
    const joined = "خانه\u200cها 👩\u200d👧 ❤\ufe0f.png";
    expect(await nameOf(joined)).toBe(joined);
    expect(await nameOf("\u200d\u2066\ufe0f ")).toBeUndefined();
    const [stored] = await files.list();
    expect(stored?.path).toMatch(/^~[0-9a-f]{64}\/uploads\/[0-9a-f]{64}$/);
  });

  it("F1 counts pictures by their pixels and PDFs by their pages", async () => {
    const { say, log } = filing([hello, hello]);
    const { sessionId } = await say([{ type: "file", data: png(1_000, 1_000, { bytes: 300_000 }) }]);
    const other = await say([{ type: "file", data: pdf(2, { packed: true }) }]);
    const estimate = async (id: string) =>
      (await log(id)).flatMap(({ type, data }) =>
        type === "llm_request" ? [data.estimated_tokens] : [],
      )[0] ?? 0;
    expect(Math.abs((await estimate(sessionId)) - 1_296)).toBeLessThan(100);
    expect(Math.abs((await estimate(other.sessionId)) - 6_000)).toBeLessThan(100);
  });
});
