import { jsonSchema, type ToolContext, tool } from "@pawl/core";
import { scriptedModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { agUi, aiSdk } from "../../src/index.ts";
import { reloaded } from "../support/agents.ts";
import { history } from "../support/chat.ts";
import { serve } from "../support/served.ts";

const ADDRESSES = [
  "javascript:alert(1)",
  "JavaScript:alert(1)//https://a.example",
  " javascript:alert(1)",
  "java\nscript:alert(1)",
  "data:text/html,<script>alert(1)</script>",
  "vbscript:x",
  "file:///etc/passwd",
  "//evil.example",
  "x\nhttps://evil.example",
];
const HTML = '"><img src=x onerror=alert(1)>';
const sealed = { type: "web_search_result", encrypted_content: "SECRET", title: HTML };
const id = "srvtoolu_1";
const answer = [
  { type: "server_tool_use", id, name: "web_search", input: { query: "rain" } },
  {
    type: "web_search_tool_result",
    tool_use_id: id,
    content: ADDRESSES.map((url) => ({ ...sealed, url })),
  },
  {
    type: "text",
    text: "It rains.",
    citations: ADDRESSES.flatMap((url) => [
      { type: "web_search_result_location", url, title: HTML, encrypted_index: "S", cited_text: HTML },
      {
        type: "search_result_location",
        source: url,
        title: null,
        cited_text: "x",
        search_result_index: 10_000,
        start_block_index: 99,
        end_block_index: -1,
      },
    ]),
  },
];
const find = (sources: readonly object[]) =>
  tool({
    name: "find",
    description: "Finds.",
    input: jsonSchema<object>({ type: "object" }),
    execute: (_, { report }: ToolContext) => report({ sources: sources as never }),
  });

/** All addresses that a page could make a link of: fields with such names, at any depth. */
function links(value: unknown): string[] {
  if (value === null || typeof value !== "object") return [];
  return Object.entries(value).flatMap(([name, part]) =>
    ["url", "href", "uri", "link"].includes(name) ? [String(part)] : links(part),
  );
}

describe("F14 a hostile address of a source or citation is no link", () => {
  it.each([
    ["AI SDK", aiSdk()],
    ["AG-UI", agUi()],
  ])("in %s, live and after a reload", async (name, dialect) => {
    const sources = [{ id: "a", title: HTML, url: "https://a.example/?q=<b>" }];
    const script = [{ tools: [{ name: "find", input: {} }] }, { content: answer }];
    const served = await serve(scriptedModel(script), { tools: [find(sources)], dialect });
    const json =
      name === "AI SDK"
        ? { id: "c", messages: [{ id: "m1", role: "user", parts: [{ type: "text", text: "Rain?" }] }] }
        : { threadId: "c", runId: "r", messages: [{ id: "m1", role: "user", content: "Rain?" }] };
    const live = await (await served.ask("/runs", { json })).text();
    const frames = live
      .split("\n")
      .flatMap((line) => (line.startsWith("data: {") ? [JSON.parse(line.slice(6)) as unknown] : []));
    const again: unknown =
      name === "AI SDK" ? await history(served, "c") : (await reloaded("1.0", served, "c")).messages;
    for (const shown of [frames, again]) {
      expect(JSON.stringify(shown)).toContain("onerror");
      expect(new Set(links(shown))).toEqual(new Set(["https://a.example/?q=<b>"]));
      expect(JSON.stringify(shown)).not.toContain("SECRET");
    }
    expect(served.errors).toEqual([]);
  });

  it.each([
    ["10,000 sources", Array.from({ length: 10_000 }, (_, at) => ({ id: `${at}`, title: "x" }))],
    ...ADDRESSES.map((url): [string, object[]] => [url, [{ id: "a", title: "x", url }]]),
  ])("a tool that reports %j fails", async (_, sources) => {
    const script = [{ tools: [{ name: "find", input: {} }] }, { text: "Done." }];
    const served = await serve(scriptedModel(script), { tools: [find(sources)] });
    const text = await (await served.ask("/runs", { json: { input: "Rain?" } })).text();
    expect(text).toContain('"success":false');
    expect(text).not.toContain('"report":{"sources"');
  });
});
