import { agent, memoryFiles, memoryStore, runtime } from "@pawl/core";
import { scriptedModel } from "@pawl/testing";
import { expect, it } from "vitest";
import { conditionalRequests } from "../../../../test/support/conditional-requests.ts";
import { aiSdk, handler } from "../../src/index.ts";

const DOT = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
  "base64",
);

async function served() {
  const model = scriptedModel(() => ({ text: "Hi." }));
  const made = agent({ name: "coach", model, instructions: "X" });
  const pawl = runtime({ agents: [made], store: memoryStore(), files: memoryFiles() });
  const serve = handler({
    runtime: pawl,
    agent: made,
    dialect: aiSdk(),
    authorize: () => ({ userId: "ada" }),
  });
  const ask = async (path: string, init: RequestInit = {}) =>
    await serve(new Request(`http://app${path}`, init));
  const stored = await ask("/files", {
    method: "POST",
    headers: { "content-type": "application/octet-stream" },
    body: DOT,
  });
  const { id } = (await stored.json()) as { id: string };
  const { sessionId } = await pawl.run("coach", { userId: "ada", input: "Hi" }).result;
  return { ask, file: `/files/${id}`, sessionId };
}

it.each(conditionalRequests)(
  "W1 a file is sent by the rules of HTTP to a request with %s",
  async (_, headers, status) => {
    const { ask, file } = await served();
    const whole = await ask(file);
    const etag = whole.headers.get("etag") ?? "";
    for (const method of ["GET", "HEAD"]) {
      const answer = await ask(file, { method, headers: headers(etag) });
      expect(answer.status).toBe(status);
      if (status === 412) continue;
      for (const name of ["etag", "cache-control", "vary"])
        expect(answer.headers.get(name)).toBe(whole.headers.get(name));
      expect(answer.headers.has("content-type")).toBe(status === 200);
      const bytes = method === "GET" && status === 200 ? DOT.length : 0;
      expect((await answer.arrayBuffer()).byteLength).toBe(bytes);
    }
  },
);

it("W1 every other route answers conditions, too: a star matches, and a tag does not", async () => {
  const { ask, sessionId } = await served();
  const paths = [
    "/sessions",
    `/sessions/${sessionId}`,
    `/sessions/${sessionId}/events`,
    `/sessions/${sessionId}/stream`,
  ];
  for (const path of [...paths, `/runs/${sessionId}`, `/runs/${sessionId}/stream`]) {
    const statusOf = async (headers: Record<string, string>) => {
      const { status, body } = await ask(path, { headers });
      await body?.cancel();
      return status;
    };
    const usual = await statusOf({});
    const isThere = usual === 200;
    expect([200, 204, 404], path).toContain(usual);
    expect([path, await statusOf({ "if-none-match": "*" })]).toEqual([path, isThere ? 304 : usual]);
    expect([path, await statusOf({ "if-none-match": '"a"' })]).toEqual([path, usual]);
    expect([path, await statusOf({ "if-match": '"a"' })]).toEqual([path, isThere ? 412 : usual]);
    expect([path, await statusOf({ "if-match": "*" })]).toEqual([path, usual]);
  }
});

it("W1 a condition about a file that does not exist changes nothing", async () => {
  const { ask } = await served();
  for (const headers of [{ "if-none-match": "*" }, { "if-match": '"a"' }])
    expect((await ask("/files/none", { headers })).status).toBe(404);
});
