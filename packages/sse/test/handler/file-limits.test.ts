import { agent, memoryFiles, memoryStore, runtime } from "@pawl/core";
import { scriptedModel } from "@pawl/testing";
import type { HTTPException } from "hono/http-exception";
import { describe, expect, it } from "vitest";
import { pause } from "../../../../test/support/pause.ts";
import { settled } from "../../../../test/support/settled.ts";
import { until } from "../../../../test/support/until.ts";
import { handler } from "../../src/index.ts";
import { bodyOf } from "../../src/request/read-json.ts";
import { heldBody, piecesOf } from "../../src/stream/held-body.ts";
import { dot, pdf, serveFiles } from "../support/filing.ts";

const clerk = agent({ name: "clerk", instructions: "Be kind.", model: scriptedModel([]) });

/** A server whose file store counts the reads of bytes. */
async function counting(options: Parameters<typeof serveFiles>[0] = {}) {
  const files = memoryFiles();
  const read: string[] = [];
  const watched = {
    ...files,
    get: async (path: string) => {
      read.push(path);
      return await files.get(path);
    },
  };
  const served = await serveFiles({ files: watched, ...options });
  return { ...served, bytesRead: () => read.filter((path) => /\/[0-9a-f]{64}$/.test(path)).length };
}

/** A PDF that does not fit into the buffers of a connection. */
const huge = (seed: number) => {
  const content = new Uint8Array(12_000_000).fill(32);
  content.set(pdf);
  content[1_000] = seed;
  return content;
};

const large = (seed: number, bytes = 3_000_000) => {
  const content = new Uint8Array(bytes);
  content.set(dot);
  content[1_000] = seed;
  return content;
};

describe("GET /files/:id", () => {
  it("F1 B7 reads nothing of a file for a client that has it, or that asks for its headers only", async () => {
    const { id, ask, bytesRead } = await counting();
    const own = await id(pdf);
    for (let times = 0; times < 3; times += 1) {
      const known = await ask(`/files/${own}`, { headers: { "if-none-match": `"${own}"` } });
      expect([known.status, known.headers.get("etag")]).toEqual([304, `"${own}"`]);
      const head = await ask(`/files/${own}`, { method: "HEAD" });
      expect(head.headers.get("content-type")).toBe("application/pdf");
      expect(head.headers.get("content-length")).toBe(`${pdf.length}`);
    }
    expect(bytesRead()).toBe(0);
    const whole = await ask(`/files/${own}`);
    expect(new Uint8Array(await whole.arrayBuffer())).toEqual(pdf);
    expect(whole.headers.get("content-length")).toBe(`${pdf.length}`);
  });

  it("F1 B7 answers 503 with the time to wait if clients hold as much as the process may have", async () => {
    const limits = { workLimits: { fileBytes: 24_000_000, waitMs: 100 } };
    const { id, ask, errors } = await counting(limits);
    const [hers, his, other] = [await id(huge(1)), await id(huge(2), "eve"), await id(huge(3), "eli")];
    // These clients read the head only.
    const open = [await ask(`/files/${hers}`), await ask(`/files/${his}`, { as: "eve" })];
    const refused = await ask(`/files/${other}`, { as: "eli" });
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "5"]);
    expect(await refused.json()).toMatchObject({ error: { code: "overloaded" } });
    expect(errors).toMatchObject([{ code: "overloaded" }]);
    // Headers and what a client has are answered all the same.
    expect((await ask(`/files/${other}`, { as: "eli", method: "HEAD" })).status).toBe(200);
    await open[0]?.body?.cancel();
    const read = await (await open[1])?.arrayBuffer();
    expect(read?.byteLength).toBe(12_000_000);
    await until(async () => {
      const response = await ask(`/files/${other}`, { as: "eli" });
      return (await response.arrayBuffer()).byteLength === 12_000_000;
    });
  });
});

describe("POST /files", () => {
  it("B7 stores and loads files while other users announce large ones and send nothing", async () => {
    const files = memoryFiles();
    const pawl = runtime({ agents: [clerk], store: memoryStore(), files });
    const serve = handler({
      runtime: pawl,
      agent: "clerk",
      authorize: (request) => ({ userId: request.headers.get("x-user") ?? "" }),
    });
    const upload = async (
      userId: string,
      body: NonNullable<RequestInit["body"]>,
      length: number,
      signal?: AbortSignal,
    ) => {
      const headers = {
        "x-user": userId,
        "content-type": "application/octet-stream",
        "content-length": `${length}`,
      };
      const request = { method: "POST", body, headers, signal, duplex: "half" };
      return await serve(new Request("http://app/files", request as RequestInit));
    };
    const leave = new AbortController();
    const stalled = ["m1", "m1", "m2", "m2"].map((user) =>
      upload(user, new ReadableStream({ start: (to) => to.enqueue(dot) }), 16_000_000, leave.signal),
    );
    await settled();
    const stored = await upload("ada", pdf, pdf.length);
    expect(stored.status).toBe(200);
    const { id } = (await stored.json()) as { id: string };
    const loaded = await serve(new Request(`http://app/files/${id}`, { headers: { "x-user": "ada" } }));
    expect([loaded.status, (await loaded.arrayBuffer()).byteLength]).toEqual([200, pdf.length]);
    void stalled;
    leave.abort();
  });
});

describe("the body of a request", () => {
  const request = (body: ReadableStream<Uint8Array>) =>
    new Request("http://app/files", { method: "POST", body, duplex: "half" } as RequestInit);
  const never = () => new Error("not too long");

  it("B7 is not read further if too little arrives for a while", async () => {
    let cancelled = 0;
    const stalled = new ReadableStream<Uint8Array>({
      start: (to) => to.enqueue(new Uint8Array(100)),
      cancel: () => {
        cancelled += 1;
      },
    });
    const trickling = new ReadableStream<Uint8Array>({
      pull: async (to) => {
        await pause(10, "a client that sends a byte at a time");
        to.enqueue(new Uint8Array(1));
      },
      cancel: () => {
        cancelled += 1;
      },
    });
    for (const body of [stalled, trickling]) {
      const error = await Array.fromAsync(bodyOf(request(body), 1_000, never, 100)).catch((cause) => cause);
      const response = (error as HTTPException).getResponse();
      expect([response.status, response.headers.get("connection")]).toEqual([408, "close"]);
      expect(await response.json()).toMatchObject({ error: { code: "invalid_input" } });
    }
    expect(cancelled).toBe(2);
  });

  it("B7 is read to its end if it is slow, and given up where it is too long", async () => {
    let [sent, cancelled] = [0, 0];
    const slow = () =>
      new ReadableStream<Uint8Array>({
        pull: async (to) => {
          await pause(60, "a client that takes its time");
          sent += 1;
          to.enqueue(new Uint8Array(16_000));
          if (sent === 6) to.close();
        },
        cancel: () => {
          cancelled += 1;
        },
      });
    const pieces = await Array.fromAsync(bodyOf(request(slow()), 100_000, never, 200));
    expect([pieces.length, cancelled]).toEqual([6, 0]);
    sent = 0;
    await expect(Array.fromAsync(bodyOf(request(slow()), 20_000, never, 200))).rejects.toThrow(
      "not too long",
    );
    expect(cancelled).toBe(1);
  });
});

describe("the body of a large response", () => {
  const signal = () => new AbortController().signal;

  it("B7 holds its bytes until the client has them", async () => {
    const bytes = large(1, 200_000);
    let closed = 0;
    const body = heldBody(piecesOf(bytes), { signal: signal(), onClose: () => (closed += 1) });
    const reader = body.getReader();
    const read: number[] = [];
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      expect(closed).toBe(0);
      read.push(...value);
    }
    expect(closed).toBe(1);
    expect(new Uint8Array(read)).toEqual(bytes);
  });

  it("B7 gives them back once if the client leaves, before or in the middle", async () => {
    const aborted = new AbortController();
    aborted.abort();
    let closed = 0;
    const onClose = () => {
      closed += 1;
    };
    heldBody(piecesOf(dot), { signal: aborted.signal, onClose });
    expect(closed).toBe(1);
    const later = new AbortController();
    const body = heldBody(piecesOf(large(1)), { signal: later.signal, onClose });
    const reader = body.getReader();
    await reader.read();
    expect(closed).toBe(1);
    later.abort();
    await reader.cancel();
    expect(closed).toBe(2);
    await heldBody(piecesOf(dot), { signal: signal(), onClose }).cancel();
    expect(closed).toBe(3);
  });

  it("B7 breaks off if the client takes nothing for a while, and not if it is slow", async () => {
    let closed = 0;
    const options = { signal: signal(), onClose: () => (closed += 1), stallMs: 200 };
    const slow = heldBody(piecesOf(large(1, 400_000)), options).getReader();
    const stalled = heldBody(piecesOf(large(1)), options).getReader();
    await stalled.read();
    for (let times = 0; times < 6; times += 1) {
      expect((await slow.read()).value).toBeDefined();
      await pause(60, "a client that takes its time");
    }
    await until(() => closed > 0);
    await expect(stalled.read()).rejects.toThrow("The client took nothing for 200 ms.");
    expect((await slow.read()).value).toBeDefined();
    await slow.cancel();
    await settled();
    expect(closed).toBe(2);
  });
});
