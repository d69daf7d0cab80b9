import { memoryFiles } from "@pawl/core";
import { scriptedModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { dot, image, pdf, serveFiles } from "../../sse/test/support/filing.ts";
import { createAgentClient } from "../src/index.ts";
import { clientOf, expectSame, isIdle, serve, when } from "./support/clients.ts";

const photo = () => new File([dot], "dot.png", { type: "image/whatever" });

describe("send() with files", () => {
  it("F1 K1 uploads them first, shows the message meanwhile, and in the end the server's view", async () => {
    const served = await serveFiles();
    const client = clientOf(served, { newId: () => "m1" });
    const progress: number[][] = [];
    const sending = client.send("What is this?", {
      files: [photo(), new Blob([pdf])],
      onProgress: (...now) => progress.push(now),
    });
    expect(client.getState()).toMatchObject({
      phase: "submitting",
      messages: [
        {
          id: "m1",
          text: "What is this?",
          parts: [
            { type: "file", name: "dot.png", mediaType: "image/whatever", bytes: dot.length },
            { type: "file", bytes: pdf.length },
            { type: "text", text: "What is this?" },
          ],
        },
      ],
    });
    expect(await sending).toBe(true);
    await when(client, isIdle);
    const total = dot.length + pdf.length;
    expect(progress).toEqual([
      [dot.length, total],
      [total, total],
    ]);
    expect(served.seen()).toMatchObject([
      image,
      { type: "document" },
      { type: "text", text: "What is this?" },
    ]);
    await expectSame(served, client);
    const [part] = client.getState().messages[0]?.parts ?? [];
    if (part?.type !== "file" || part.id === undefined) throw new Error("no file");
    expect(part).toMatchObject({
      name: "dot.png",
      mediaType: "image/png",
      url: `/api/coach/files/${part.id}`,
    });
    expect(await (await client.file(part.id)).bytes()).toEqual(dot);
    await expect(client.file("0".repeat(64))).rejects.toMatchObject({ code: "not_found" });
  });

  it("F1 rejects if the bytes of a file stop arriving", async () => {
    const body = new ReadableStream({ start: (stream) => stream.enqueue(dot) });
    const client = createAgentClient({
      url: "https://example.test",
      silenceMs: 50,
      fetch: async () => new Response(body),
    });
    await expect(client.file("0".repeat(64))).rejects.toMatchObject({ code: "network" });
  });

  it.each(["", ".", ".."])("F1 W1 asks for no other path with the id %j", async (id) => {
    const asked: unknown[] = [];
    const client = createAgentClient({
      url: "https://example.test/api",
      sessionId: id,
      fetch: async (url) => {
        asked.push(new URL(String(url)).pathname);
        return Response.json({ error: { code: "not_found", message: "None." } }, { status: 404 });
      },
    });
    await expect(client.file(id)).rejects.toMatchObject({ code: "not_found" });
    await expect
      .poll(() => client.getState().error?.code ?? client.getState().phase)
      .toMatch(/not_found|idle/);
    expect(new Set(asked)).toEqual(new Set(["/api/sessions/%00", "/api/files/%00"]));
  });

  it("F1 sends files without a text, from any list, and reloads them", async () => {
    const served = await serveFiles();
    const client = clientOf(served);
    expect(await client.send("  ", { files: new Set([photo()]) })).toBe(true);
    const { sessionId } = await when(client, isIdle);
    expect(served.seen()).toEqual([image]);
    const again = clientOf(served, { sessionId });
    await when(again, ({ messages }) => messages.length === 2);
    await expectSame(served, client, again);
    expect(again.getState().messages[0]).toMatchObject({
      text: "",
      parts: [{ type: "file", name: "dot.png" }],
    });
  });

  it("F1 takes the message back if a file is refused, with its text", async () => {
    const served = await serveFiles();
    const client = clientOf(served);
    const zip = new File(["PK\u0003\u0004\0"], "b.zip");
    expect(await client.send("See?", { files: [zip] })).toBe(false);
    expect(client.getState().error?.message).toMatch(/^The file is of an unknown type/);
    expect(await client.send("See?", { files: [photo(), zip] })).toBe(false);
    expect(client.getState().error?.message).toMatch(/^b\.zip: The file is of an unknown type/);
    expect(await client.send("See?", { files: [photo(), new Blob(["PK\u0003\u0004\0"])] })).toBe(false);
    expect(client.getState()).toMatchObject({
      phase: "error",
      messages: [],
      error: {
        code: "invalid_input",
        message: expect.stringMatching(/^File 2: .*unknown type/),
        text: "See?",
      },
    });
    expect(await client.send("See?")).toBe(true);
  });

  it("F1 is refused in words where the server keeps no files", async () => {
    const client = clientOf(await serve(scriptedModel([])));
    expect(await client.send("See?", { files: [photo()] })).toBe(false);
    expect(client.getState().error?.message).toContain("This server keeps no files");
  });

  it("F1 K3 uploads again if the connection fails, and the file is stored once", async () => {
    const files = memoryFiles();
    const served = await serveFiles({ files });
    let failures = 2;
    const flaky: typeof fetch = async (input, init) => {
      const response = await fetch(input, init);
      if (String(input).endsWith("/files") && failures > 0) {
        failures -= 1;
        throw new TypeError("connection lost");
      }
      return response;
    };
    const client = clientOf(served, { fetch: flaky });
    expect(await client.send("See?", { files: [photo()] })).toBe(true);
    await when(client, isIdle);
    expect(failures).toBe(0);
    expect(await files.list()).toHaveLength(3);
  });

  it("F1 sends nothing if the upload is cancelled, or the conversation closed", async () => {
    const served = await serveFiles();
    const cancel = new AbortController();
    const client = clientOf(served);
    const files = [photo(), new Blob([pdf])];
    const cancelled = client.send("See?", { files, signal: cancel.signal, onProgress: () => cancel.abort() });
    expect(await cancelled).toBe(false);
    expect(client.getState()).toMatchObject({ phase: "idle", messages: [], error: undefined });
    expect(await client.send("See?", { files, onProgress: () => client.close() })).toBe(false);
    expect(served.model.requests).toEqual([]);
  });

  it("F1 U6 refuses what is no file by name", async () => {
    const client = clientOf(await serveFiles());
    for (const files of ["a.png", [{ name: "a.png" }], 5])
      await expect(client.send("See?", { files } as never)).rejects.toThrow(
        "`files` of send() must be File or Blob",
      );
  });
});
