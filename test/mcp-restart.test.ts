import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import {
  acceptedContent,
  createMcpHandler,
  createRequestStateCodec,
  inputRequired,
  McpServer,
} from "@modelcontextprotocol/server";
import { expect, it } from "vitest";
import * as z from "zod";
import { bundled } from "./support/bundled.ts";
import { NODE_FLAGS } from "./support/node-flags.ts";
import { prepareDatabase } from "./support/prepared-database.ts";

const program = await bundled(fileURLToPath(new URL("support/mcp-process.mjs", import.meta.url)));
const form = z.object({ ok: z.boolean() });

it("F24 P1 carries a server's question over the end of our process, with its state from the database", async () => {
  const codec = createRequestStateCodec<{ files: number }>({ key: "k".repeat(32) });
  const seen: unknown[] = [];
  const { fetch } = createMcpHandler(() => {
    const server = new McpServer({ name: "files", version: "1" }, { requestState: { verify: codec.verify } });
    server.registerTool("erase", { inputSchema: z.object({ path: z.string() }) }, async ({ path }, ctx) => {
      const { inputResponses } = ctx.mcpReq;
      seen.push(ctx.mcpReq.requestState<{ files: number }>() ?? null);
      if (inputResponses !== undefined && acceptedContent(inputResponses, "confirm", form)?.ok)
        return { content: [{ type: "text", text: `Erased ${path}.` }] };
      const confirm = inputRequired.elicit({ message: `Erase ${path}?`, requestedSchema: form });
      return inputRequired({ inputRequests: { confirm }, requestState: await codec.mint({ files: 3 }, ctx) });
    });
    return server;
  });
  const http = createServer(async (request, response) => {
    const body = Buffer.concat(await Array.fromAsync(request));
    const headers = request.headers as Record<string, string>;
    const init = { method: request.method ?? "POST", headers, ...(body.length > 0 && { body }) };
    const answer = await fetch(new Request(`http://127.0.0.1${request.url}`, init));
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    response.end(await answer.text());
  }).listen(0, "127.0.0.1");
  await once(http, "listening");
  const dataDir = mkdtempSync(join(tmpdir(), "pawl-mcp-"));
  try {
    await prepareDatabase(join(dataDir, "db"));
    const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
    const run = async (...more: string[]) => {
      const args = [...NODE_FLAGS, program, join(dataDir, "db"), url, ...more];
      return JSON.parse((await promisify(execFile)(process.execPath, args)).stdout);
    };
    const asked = await run();
    expect(asked).toMatchObject({ stop: "suspended" });
    const answered = await run(asked.sessionId);
    expect(answered).toMatchObject({ stop: "end_turn", text: "It is gone." });
    expect(seen).toEqual([null, { files: 3 }]);
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
    http.closeAllConnections();
    http.close();
  }
}, 60_000);
