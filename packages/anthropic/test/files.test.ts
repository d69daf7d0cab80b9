import { agent, memoryFiles, memoryStore, runtime } from "@pawl/core";
import { messagesApi } from "@pawl/testing";
import { expect, it } from "vitest";
import { client } from "./support.ts";

/** A PNG of one pixel. */
const DOT =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

it("F1 sends pictures, PDFs and texts as the API takes them, and the same bytes again", async () => {
  const api = await messagesApi({ rules: () => ({ text: "I see." }) });
  const looker = agent({ name: "looker", model: client(api), instructions: "You look. ".repeat(300) });
  const pawl = runtime({ agents: [looker], store: memoryStore(), files: memoryFiles() });
  const say = async (input: Parameters<typeof pawl.run>[1]["input"], sessionId?: string) =>
    await pawl.run("looker", { userId: "ada", input: input ?? "", ...(sessionId && { sessionId }) }).result;
  const { sessionId } = await say([
    { type: "file", data: DOT, name: "dot.png" },
    { type: "file", data: new TextEncoder().encode("%PDF-1.7\n/Type /Page"), name: "plan.pdf" },
    { type: "file", data: new Blob(["# Notes"]), name: "notes.md" },
    { type: "text", text: "What is this?" },
  ]);
  const { usage, stop } = await say("Again?", sessionId);
  expect(api.rejected).toEqual([]);
  expect(stop.type).toBe("end_turn");
  const sent = api.requests.map(({ body }) =>
    JSON.stringify((body as { messages: unknown[] }).messages).replaceAll(
      ',"cache_control":{"type":"ephemeral"}',
      "",
    ),
  );
  expect(sent[0]).toContain(`"data":"${DOT}"`);
  expect(sent[0]).toContain(
    '"source":{"type":"text","media_type":"text/plain","data":"# Notes"},"title":"notes.md"}',
  );
  expect(sent[1]?.startsWith(sent[0]?.slice(0, -1) ?? "-")).toBe(true);
  expect(usage.cacheReadTokens).toBeGreaterThan(500);
  await api.close();
});
