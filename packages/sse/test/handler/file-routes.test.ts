import { request } from "node:http";
import { scriptedModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { until } from "../../../../test/support/until.ts";
import { DOT, dot, image, pdf, serveFiles } from "../support/filing.ts";
import { allEvents, serve } from "../support/served.ts";

const errorOf = async (response: Response) => {
  const { error } = (await response.json()) as { error: { code: string; message: string } };
  return `${response.status} ${error.code}: ${error.message}`;
};

describe("POST /files", () => {
  it("F1 stores a file for messages, and answers what it is", async () => {
    const { upload, ask, seen } = await serveFiles();
    const response = await upload(dot);
    expect(response.status).toBe(200);
    const { id, ...facts } = (await response.json()) as { id: string };
    expect(facts).toEqual({ mediaType: "image/png", bytes: dot.length, width: 1, height: 1 });
    const parts = [
      { type: "file", id, name: "dot.png" },
      { type: "file", data: Buffer.from("# Notes").toString("base64") },
      { type: "text", text: "What is this?" },
    ];
    const run = await ask("/runs", { json: { input: parts } });
    const events = await allEvents(run);
    expect(events.at(-1)).toMatchObject({ type: "run_ended", data: { stop: { type: "end_turn" } } });
    expect(seen()[0]).toEqual(image);
    const session = await (await ask(`/sessions/${run.headers.get("x-pawl-session")}`)).json();
    expect((session as { messages: unknown[] }).messages[0]).toMatchObject({
      text: "What is this?",
      parts: [
        {
          type: "file",
          id,
          url: `/api/coach/files/${id}`,
          mediaType: "image/png",
          name: "dot.png",
          width: 1,
        },
        { type: "file", mediaType: "text/plain", bytes: 7 },
        { type: "text", text: "What is this?" },
      ],
    });
    expect(events.find(({ type }) => type === "user_message")?.data).toMatchObject({
      files: [{ id, url: `/api/coach/files/${id}` }, {}],
    });
  });

  it("F1 W6 stops reading a large file at the limit, whatever length it claims", async () => {
    const { url, files } = await serveFiles({ maxFileBytes: 1_000_000 });
    const before = process.memoryUsage().rss;
    for (const length of [2_000_000_000, undefined]) {
      let written = 0;
      const headers = {
        authorization: "Bearer ada",
        "content-type": "application/octet-stream",
        ...(length === undefined ? {} : { "content-length": length }),
      };
      const status = await new Promise<number | undefined>((resolve, reject) => {
        const sending = request(`${url}/files`, { method: "POST", headers }, (response) => {
          resolve(response.statusCode);
          response.resume();
          sending.destroy();
        });
        sending.on("error", reject);
        const chunk = Buffer.alloc(64 * 1024, 97);
        const write = () => {
          while (!sending.destroyed && written < 2_000_000_000) {
            written += chunk.length;
            if (!sending.write(chunk)) return void sending.once("drain", write);
          }
        };
        write();
      });
      expect(status).toBe(413);
      expect(written).toBeLessThan(20_000_000);
    }
    expect(process.memoryUsage().rss - before).toBeLessThan(100_000_000);
    expect(await files.list()).toEqual([]);
  });

  it("F1 refuses what no message may have, other content types, and strangers", async () => {
    const { upload, ask, files } = await serveFiles();
    expect(await errorOf(await upload(new Uint8Array([80, 75, 3, 4])))).toContain(
      "400 invalid_input: The file is of an unknown",
    );
    expect(await errorOf(await upload(""))).toContain("400 invalid_input: The file is empty.");
    for (const type of [
      "text/plain",
      "image/png",
      "multipart/form-data; boundary=x",
      "application/x-www-form-urlencoded",
    ])
      expect(await errorOf(await upload(dot, { type }))).toContain("415 invalid_input");
    expect((await ask("/files", { method: "POST", body: dot, as: null })).status).toBe(401);
    expect((await ask("/files")).status).toBe(405);
    expect(await files.list()).toEqual([]);
  });

  it("F1 answers 404 where the runtime keeps no files, and reports nothing", async () => {
    const { ask, errors } = await serve(scriptedModel([]));
    const headers = { "content-type": "application/octet-stream" };
    expect(await errorOf(await ask("/files", { method: "POST", body: dot, headers }))).toContain(
      "404 not_found",
    );
    expect(await errorOf(await ask(`/files/${"0".repeat(64)}`))).toContain("This server keeps no files");
    expect(errors).toEqual([]);
  });

  it("F1 W6 counts uploads towards the rate limit, and reads four of a user at once", async () => {
    let asked = 0;
    const count = () => {
      asked += 1;
    };
    const { upload, ask } = await serveFiles({
      rateLimit: { consume: async () => count() } as never,
    });
    const slow = () => {
      const { readable, writable } = new TransformStream<Uint8Array>();
      const writer = writable.getWriter();
      void writer.write(dot);
      const response = ask("/files", {
        method: "POST",
        body: readable,
        headers: { "content-type": "application/octet-stream" },
        duplex: "half",
      } as RequestInit);
      return { response, end: () => writer.close() };
    };
    const open = Array.from({ length: 4 }, slow);
    await until(() => asked === 4);
    expect(await errorOf(await upload(pdf))).toContain("429 rate_limited");
    expect((await upload(pdf, { as: "eve" })).status).toBe(200);
    await open[0]?.end();
    expect((await open[0]?.response)?.status).toBe(200);
    // Its place is free, and no other.
    const before = asked;
    open.push(slow());
    await until(() => asked > before);
    expect(await errorOf(await upload(pdf))).toContain("429 rate_limited");
    for (const { end } of open.slice(1)) await end();
    for (const { response } of open.slice(1)) expect((await response).status).toBe(200);
    expect((await upload(pdf)).status).toBe(200);
  });
});

it("F1 W6 takes 200 MB of a user that are not sent, and then no more", async () => {
  const { upload } = await serveFiles();
  const large = (seed: number) => {
    const content = new Uint8Array(7_800_000);
    content.set(dot);
    content[7_000_000] = seed;
    return content;
  };
  for (let seed = 0; seed < 25; seed += 1) expect((await upload(large(seed))).status).toBe(200);
  expect(await errorOf(await upload(large(25)))).toContain("400 invalid_input: Too many files were uploaded");
  expect((await upload(large(25), { as: "eve" })).status).toBe(200);
});

describe("GET /files/:id", () => {
  it.each([
    ["a picture", dot, "image/png", "inline"],
    [
      "a picture with HTML behind it",
      Buffer.concat([dot, Buffer.from("<script>alert(1)</script>")]),
      "image/png",
      "inline",
    ],
    ["a PDF", pdf, "application/pdf", "attachment"],
    [
      "an SVG with a script",
      "<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>",
      "text/plain; charset=utf-8",
      "attachment",
    ],
    ["HTML", "<!doctype html><script>alert(1)</script>", "text/plain; charset=utf-8", "attachment"],
  ])("F1 serves %s as what it is, and nothing in it runs", async (_, content, type, disposition) => {
    const { id, ask } = await serveFiles();
    const response = await ask(`/files/${await id(content)}`);
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": type,
      "content-disposition": disposition,
      "x-content-type-options": "nosniff",
      "content-security-policy": "sandbox; default-src 'none'",
      "referrer-policy": "no-referrer",
      "cache-control": "private, no-cache",
    });
    expect(Buffer.from(await response.arrayBuffer())).toEqual(Buffer.from(content));
  });

  it("F1 serves a file to its owner only, and answers 304 to whom has it", async () => {
    const { id, ask } = await serveFiles();
    const own = await id(dot);
    for (const name of [own, "0".repeat(64), "x", encodeURIComponent("../ada/uploads/x")])
      expect(await errorOf(await ask(`/files/${name}`, { as: "eve" }))).toContain(
        "404 not_found: There is no such file.",
      );
    expect((await ask(`/files/${own}`, { as: null })).status).toBe(401);
    expect((await ask(`/files/${own}`, { headers: { "if-none-match": `"${own}"` } })).status).toBe(304);
    expect((await ask(`/files/${own}`, { as: "eve", headers: { "if-none-match": `"${own}"` } })).status).toBe(
      404,
    );
    expect((await ask(`/files/${own}`, { method: "HEAD" })).headers.get("content-type")).toBe("image/png");
  });
});

describe("POST /runs with files", () => {
  it.each([
    ["a forged id", [{ type: "file", id: "0".repeat(64) }], "A file of the message does not exist"],
    ["an id of another form", [{ type: "file", id: "../../x" }], "400 invalid_input"],
    ["both", [{ type: "file", id: "0".repeat(64), data: DOT }], "400 invalid_input"],
    ["a type of its own", [{ type: "file", data: DOT, mediaType: "image/png" }], "400 invalid_input"],
    ["no base64", [{ type: "file", data: "#" }], "not valid base64"],
    ["nothing", [], "400 invalid_input"],
    ["blank text", [{ type: "text", text: " " }], "The message is empty"],
    [
      "long text",
      [
        { type: "file", data: DOT },
        { type: "text", text: "x".repeat(100_001) },
      ],
      "at most 100000 characters",
    ],
    ["21 files", Array.from({ length: 21 }, () => ({ type: "file", data: DOT })), "at most 20 files"],
  ])("F1 refuses %s, before anything is stored", async (_, input, why) => {
    const { ask, store, files } = await serveFiles();
    expect(await errorOf(await ask("/runs", { json: { input } }))).toContain(why);
    expect(await store.sessions.list({ userId: "ada" })).toEqual([]);
    expect(await files.list()).toEqual([]);
  });

  it("F1 refuses another user's file", async () => {
    const { ask, id } = await serveFiles();
    const input = [{ type: "file", id: await id(dot, "eve") }];
    expect(await errorOf(await ask("/runs", { json: { input } }))).toContain(
      "A file of the message does not exist",
    );
  });
});
