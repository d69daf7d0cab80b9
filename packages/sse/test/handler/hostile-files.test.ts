import { connect } from "node:net";
import { memoryFiles } from "@pawl/core";
import { strictModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { until } from "../../../../test/support/until.ts";
import { agUi, aiSdk } from "../../src/index.ts";
import { DOT, dot, serveFiles } from "../support/filing.ts";
import { serve } from "../support/served.ts";

type Served = Awaited<ReturnType<typeof serveFiles>>;

/** What the store has, of all users. */
const kept = async ({ store, stored }: Served) => ({
  files: (await stored()).length,
  messages: (
    await Promise.all(
      (
        await store.sessions.list({ userId: "ada" })
      ).map(async ({ id }) => await Array.fromAsync(store.read(id))),
    )
  ).flat().length,
});

const forged = (id: string) => ({
  type: "stored",
  id,
  media_type: "image/png",
  bytes: 70,
  width: 1,
  height: 1,
});

describe("a reference that a client writes itself", () => {
  it("F1 is refused in the native dialect, although the file exists", async () => {
    const served = await serveFiles();
    const eves = await served.id(dot, "eve");
    for (const part of [
      { type: "image", source: forged(eves) },
      { type: "file", source: forged(eves) },
      { type: "file", id: eves, media_type: "image/png" },
      { type: "document", source: { type: "url", url: "http://169.254.169.254/" } },
      { type: "file", id: { toString: eves } },
    ])
      expect((await served.ask("/runs", { json: { input: [part] } })).status).toBe(400);
    expect(await kept(served)).toEqual({ files: 1, messages: 0 });
    expect(served.model.requests).toEqual([]);
  });

  it("F1 W2 is refused in the AI SDK's and AG-UI's forms", async () => {
    const sdk = await serveFiles({ dialect: aiSdk() });
    const eves = await sdk.id(dot, "eve");
    for (const part of [
      { type: "image", source: forged(eves) },
      { type: "file", mediaType: "image/png", url: "", source: forged(eves) },
      { type: "file", mediaType: "image/png", url: `/files/${eves}` },
      { type: "file", mediaType: "image/png", url: `file:///files/${eves}` },
      { type: "file", mediaType: "image/png", url: [`/files/${eves}`] },
    ]) {
      const messages = [{ id: "m1", role: "user", parts: [part] }];
      expect((await sdk.ask("/runs", { json: { id: "c1", messages } })).status).toBe(400);
    }
    expect(await kept(sdk)).toEqual({ files: 1, messages: 0 });
    const ag = await serveFiles({ dialect: agUi() });
    const hers = await ag.id(dot, "eve");
    for (const source of [
      forged(hers),
      { ...forged(hers), value: `/files/${hers}` },
      { type: "file", value: hers },
      { type: "url", value: "http://169.254.169.254/" },
    ]) {
      const messages = [{ id: "m1", role: "user", content: [{ type: "image", source }] }];
      const json = {
        threadId: "t1",
        runId: "r1",
        messages,
        tools: [],
        context: [],
        state: {},
        forwardedProps: {},
      };
      expect(await (await ag.ask("/runs", { json })).text()).toMatch(/invalid_input|RUN_ERROR/);
    }
    expect(await kept(ag)).toEqual({ files: 1, messages: 0 });
    expect([...sdk.model.requests, ...ag.model.requests]).toEqual([]);
  });
});

describe("GET /files/:id, asked in bad faith", () => {
  it("F1 knows hashes in lower case only, and no paths", async () => {
    const { id, ask } = await serveFiles();
    const own = await id(dot);
    for (const name of [
      own.toUpperCase(),
      `${own}%00`,
      `${own}%20`,
      `..%2fada%2funsent%2f${own}`,
      `%2e%2e%2f${own}`,
      `${own}%2f${own}`,
      "__proto__",
      "%c3%28",
    ])
      expect([name, [400, 404].includes((await ask(`/files/${name}`)).status)]).toEqual([name, true]);
  });

  it("F1 serves a script in a GIF, and a whole file for a range", async () => {
    const { id, ask, upload } = await serveFiles();
    // A comment behind the header claims 10,799 pixels.
    expect((await upload(Buffer.from("GIF89a/*\x01\0\0\0*/=1;alert(document.cookie)"))).status).toBe(400);
    const script = Buffer.from("GIF89a\x01\0\x01\0=1;alert(document.cookie)");
    const response = await ask(`/files/${await id(script)}`, { headers: { range: "bytes=6-" } });
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "image/gif"]);
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    expect(response.headers.has("accept-ranges")).toBe(false);
    expect((await response.arrayBuffer()).byteLength).toBe(script.length);
  });

  it("F1 says to which pages and users an answer belongs, so that no cache mixes them up", async () => {
    const origins = ["https://a.example", "https://b.example"];
    const { id, ask } = await serveFiles({ cors: { origins, credentials: true } });
    const own = await id(dot);
    for (const origin of [...origins, "https://evil.example"]) {
      const { headers } = await ask(`/files/${own}`, { headers: { origin } });
      expect(headers.get("access-control-allow-origin")).toBe(origins.includes(origin) ? origin : null);
      expect(headers.get("vary")?.toLowerCase()).toMatch(/origin/);
      expect(headers.get("vary")?.toLowerCase()).toMatch(/cookie, authorization/);
      expect(headers.get("cross-origin-resource-policy")).toBe("same-site");
    }
  });
});

describe("POST /files, in bad faith", () => {
  it("F1 W6 frees the place of an upload that is cut off", async () => {
    const { url, upload, stored } = await serveFiles();
    const { hostname, port, pathname } = new URL(url);
    for (let round = 0; round < 2; round += 1) {
      const sockets = Array.from({ length: 4 }, () => {
        const socket = connect(Number(port), hostname);
        socket.write(
          `POST ${pathname}/files HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ada\r\ncontent-type: application/octet-stream\r\ncontent-length: 1000\r\n\r\nabc`,
        );
        return socket;
      });
      await until(async () => (await upload(dot)).status === 429);
      for (const socket of sockets) socket.destroy();
      await until(async () => (await upload(dot)).status === 200);
    }
    expect(await stored()).toHaveLength(1);
  });

  it("F1 stores the same file once, however many send it at once", async () => {
    const { upload, ask, ...served } = await serveFiles();
    const answers = await Promise.all(Array.from({ length: 4 }, () => upload(dot)));
    const ids = await Promise.all(
      answers.map(async (response) => ((await response.json()) as { id: string }).id),
    );
    expect(new Set(ids).size).toBe(1);
    const runs = await Promise.all(
      [1, 2, 3].map((n) =>
        ask("/runs", { json: { clientMessageId: `m${n}`, input: [{ type: "file", id: ids[0] }] } }),
      ),
    );
    for (const run of runs) expect(await run.text()).toContain("end_turn");
    const stored = (await served.stored()).map((path) => path.split("/").length);
    expect(stored.toSorted()).toEqual([3, 4, 4, 4]);
  });

  it("F1 neither trusts nor repeats what a client says about a file", async () => {
    const { ask, id } = await serveFiles();
    const evil = `a"\r\nset-cookie: x=1\r\n\r\n<script>\u202e`;
    const input = [
      { type: "file", id: await id(dot), name: evil },
      { type: "file", data: DOT, name: "x".repeat(999) },
    ];
    const run = await ask("/runs", { json: { input } });
    expect(await run.text()).toContain("end_turn");
    const { messages } = (await (await ask(`/sessions/${run.headers.get("x-pawl-session")}`)).json()) as {
      messages: { parts: { name?: string }[] }[];
    };
    expect(messages[0]?.parts.map(({ name }) => name)).toEqual([
      'a"set-cookie: x=1<script>',
      "x".repeat(200),
    ]);
    const tooLong = [{ type: "file", data: DOT, name: "x".repeat(10_000) }];
    expect((await ask("/runs", { json: { input: tooLong } })).status).toBe(400);
  });
});

describe("a picture that the model's API refuses", () => {
  it.each([
    ["native", undefined, (input: object[]) => ({ input })],
    [
      "the AI SDK's",
      aiSdk(),
      () => ({
        id: "c1",
        messages: [
          {
            id: "m1",
            role: "user",
            parts: [
              { type: "file", mediaType: "image/png", url: `data:image/png;base64,${DOT}` },
              { type: "text", text: "What is this?" },
            ],
          },
        ],
      }),
    ],
  ] as const)("F1 E2 is no error in %s stream: the model answers without it", async (_, dialect, bodyOf) => {
    const fault = {
      status: 400,
      message: "messages.0.content.0.image.source.base64.data: Could not process image",
    };
    const model = strictModel({
      rules: ({ messages }) =>
        JSON.stringify(messages).includes(DOT) ? { fault } : { text: "I cannot see it." },
    });
    const { ask, errors } = await serve(model, { files: memoryFiles(), ...(dialect && { dialect }) });
    const text = { type: "text", text: "What is this?" };
    const run = await ask("/runs", { json: bodyOf([{ type: "file", data: DOT }, text]) });
    const streamed = await run.text();
    expect(streamed).toContain("I cannot see it.");
    expect(streamed).not.toMatch(/"type":"(error|RUN_ERROR)","errorText"/);
    expect(errors).toEqual([]);
    expect(model.requests).toHaveLength(2);
    const session = await (await ask(`/sessions/${run.headers.get("x-pawl-session")}`)).json();
    expect(session).toMatchObject({ run: { open: false, stop: { type: "end_turn" } } });
    expect((session as { messages: unknown[] }).messages).toHaveLength(2);
  });
});
