import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Readable } from "node:stream";
import { expect, it, onTestFinished } from "vitest";
import { bundled, installed } from "./support/program.ts";

interface Miniflare {
  ready: Promise<URL>;
  dispose(): Promise<void>;
}

it("U4 T10 on Workers, requests that begin together or leave early disturb no other one that reads the list of remote tools", async () => {
  const backend = createServer((request, response) => {
    const isList = request.url?.endsWith("/tools/schema");
    const look = { name: "look", description: "Looks.", input_schema: { type: "object" } };
    const send = () => response.end(JSON.stringify(isList ? { tools: [look] } : { result: "found" }));
    setTimeout(send, 200);
  });
  await new Promise<void>((resolve) => backend.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    backend.closeAllConnections();
    backend.close();
  });
  const { Miniflare } = installed<{ Miniflare: new (options: object) => Miniflare }>("miniflare");
  let printed = "";
  const server = new Miniflare({
    modules: true,
    script: readFileSync(await bundled("remote-worker.js", "browser"), "utf8"),
    compatibilityDate: "2026-07-01",
    cf: false,
    bindings: { TOOLS: `http://127.0.0.1:${(backend.address() as AddressInfo).port}` },
    handleRuntimeStdio: (_output: Readable, errors: Readable) =>
      errors.on("data", (chunk) => {
        printed += chunk;
      }),
  });
  onTestFinished(async () => await server.dispose());
  const url = (await server.ready).href;
  const ask = async () => await (await fetch(url, { signal: AbortSignal.timeout(8_000) })).json();
  const answer = { text: "Seen.", results: ["found"] };
  expect(await Promise.all([ask(), ask(), ask()])).toEqual([answer, answer, answer]);
  expect(await ask()).toEqual(answer);

  // The first one leaves while it reads the list.
  await expect(fetch(url, { signal: AbortSignal.timeout(100) })).rejects.toThrow();
  expect(await ask()).toEqual(answer);
  expect(printed).not.toContain("different request context");
});
