import { brotliCompressSync, gzipSync } from "node:zlib";
import { agent, memoryFiles, memoryStore, runtime } from "@pawl/core";
import { scriptedModel } from "@pawl/testing";
import { expect, it } from "vitest";
import { agUi, aiSdk, type Dialect, handler, native } from "../../src/index.ts";

function served(dialect: Dialect = native()) {
  const made = agent({ name: "coach", model: scriptedModel(() => ({ text: "Hi." })), instructions: "X" });
  const pawl = runtime({ agents: [made], store: memoryStore(), files: memoryFiles() });
  const authorize = ({ headers }: Request) => (headers.has("authorization") ? { userId: "ada" } : null);
  const serve = handler({ runtime: pawl, agent: made, dialect, authorize });
  return async (
    path: string,
    { headers = {}, ...init }: RequestInit & { headers?: Record<string, string> } = {},
  ) =>
    await serve(
      new Request(`http://app${path}`, { ...init, headers: { authorization: "Bearer x", ...headers } }),
    );
}

it.each(["/runs", "/sessions", "/sessions/a", "/sessions/a/stream", "/files", "/files/a", "/nothing"])(
  "W5 a request to %s without a user gets a challenge",
  async (path) => {
    const made = agent({ name: "coach", model: scriptedModel([]), instructions: "X" });
    const pawl = runtime({ agents: [made], store: memoryStore() });
    const serve = handler({ runtime: pawl, agent: made, authorize: () => null });
    const { status, headers } = await serve(new Request(`http://app${path}`));
    expect([status, headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
  },
);

const bodies: [string, Dialect, string, string, string][] = [
  ["a message", native(), "/runs", "application/json", '{"input":"Hi"}'],
  ["a thread of the AI SDK", aiSdk(), "/runs", "application/json", '{"id":"t","messages":[]}'],
  ["a thread of AG-UI", agUi(), "/runs", "application/json", '{"threadId":"t","messages":[]}'],
  ["a file", native(), "/files", "application/octet-stream", "text"],
];

it.each(bodies)(
  "W1 %s that is compressed is refused, with the coding that is accepted",
  async (_, dialect, path, type, body) => {
    const ask = served(dialect);
    const packed: [string, Buffer][] = [
      ["gzip", gzipSync(body)],
      [" BR ", brotliCompressSync(body)],
      ["identity, gzip", gzipSync(body)],
      ["unknown", Buffer.from(body)],
    ];
    for (const [coding, bytes] of packed) {
      const headers = { "content-type": type, "content-encoding": coding };
      const answer = await ask(path, { method: "POST", headers, body: bytes });
      expect([coding, answer.status, answer.headers.get("accept-encoding")]).toEqual([
        coding,
        415,
        "identity",
      ]);
    }
  },
);

it("W1 a body whose coding is `identity` is taken, and another type is answered with the one that is", async () => {
  const ask = served();
  const send = (type: string, coding: string) =>
    ask("/runs", {
      method: "POST",
      headers: { "content-type": type, "content-encoding": coding },
      body: '{"input":"Hi"}',
    });
  expect((await send("application/json", "identity")).status).toBe(200);
  const other = await send("text/plain", "identity");
  expect([other.status, other.headers.get("accept")]).toEqual([415, "application/json"]);
});

it("W1 every path answers HEAD or names the methods that it takes", async () => {
  const ask = served(aiSdk());
  for (const path of [
    "/runs",
    "/sessions",
    "/sessions/a",
    "/sessions/a/events",
    "/sessions/a/stream",
    "/sessions/a/stop",
    "/files",
    "/files/a",
    "/runs/a",
    "/runs/a/stream",
  ])
    for (const method of ["GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS", "QUERY"]) {
      const { status, headers } = await ask(path, { method });
      if (status !== 405) expect(["GET", "HEAD"], `${method} ${path}`).toContain(method);
      else
        expect([path, headers.get("allow")]).toEqual([
          path,
          path.endsWith("stop") || path === "/runs" || path === "/files" ? "POST" : "GET, HEAD",
        ]);
    }
});
