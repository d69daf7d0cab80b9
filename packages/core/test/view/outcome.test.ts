import { describe, expect, it } from "vitest";
import * as z from "zod";
import {
  agentTool,
  memoryFiles,
  readShown,
  type StoredEvent,
  type ToolContext,
  tool,
} from "../../src/index.ts";
import { newView, reduceView, type ViewPart } from "../../src/view.ts";
import { base64 } from "../support/file-runs.ts";
import { png } from "../support/files.ts";
import { type Setup, setup, user } from "../support/setup.ts";

const chart = png(40, 30);
const guide = { id: "doc-1", title: "The guide", url: "https://docs.example/1" };
const note = { id: "doc-2", title: "A note" };
const input = z.object({}).loose();
const look = tool({
  name: "look",
  description: "Looks into documents.",
  input,
  execute: (_, { report, createArtifact }: ToolContext) => {
    report({ sources: [guide, note] });
    createArtifact({ type: "plan", title: "A plan", payload: { steps: 2 } });
    return { chart: base64(chart) };
  },
  format: (result) => {
    const { chart: data } = result as { chart: string };
    return [{ type: "image", source: { type: "base64", media_type: "image/png", data } }];
  },
});
const broken = tool({
  name: "broken",
  description: "Fails.",
  input,
  execute: (_, { report }: ToolContext) => {
    report({ sources: [note] });
    throw new Error("no");
  },
});

const web = {
  type: "web_search_result_location",
  url: "https://example.com/a",
  title: "A",
  encrypted_index: "SECRET",
  cited_text: "It rains.",
};
const page = { type: "page_location", cited_text: "Page one.", document_index: 0, document_title: "a.pdf" };
const pages = { ...page, start_page_number: 3, end_page_number: 4, file_id: null };
const chars = {
  type: "char_location",
  cited_text: "x",
  document_index: 0,
  document_title: null,
  start_char_index: 0,
  end_char_index: 1,
  file_id: null,
};
const found = {
  type: "search_result_location",
  cited_text: "y",
  search_result_index: 0,
  source: "doc-1",
  title: "The guide",
  start_block_index: 0,
  end_block_index: 1,
};
const id = "srvtoolu_1";
const searched = [
  { type: "server_tool_use", id, name: "web_search", input: { query: "rain" } },
  {
    type: "web_search_tool_result",
    tool_use_id: id,
    content: [
      { type: "web_search_result", url: "https://example.com/a", title: "A", encrypted_content: "SECRET" },
      { type: "web_search_result", url: "javascript:alert(1)", title: "B", encrypted_content: "SECRET" },
    ],
  },
  { type: "text", text: "It " },
  { type: "text", text: "rains.", citations: [web, pages, chars, found] },
];

const partsOf = async ({ pawl }: Setup, sessionId: string): Promise<ViewPart[]> =>
  (await pawl.view(sessionId, user)).messages.flatMap(({ role, parts }) => (role === "user" ? [] : parts));
const typesOf = (parts: readonly ViewPart[]) => parts.map(({ type }) => type);
const begun = () =>
  setup(
    [{ text: "One moment.", tools: [{ name: "look", id: "c1" }] }, { content: searched }, { text: "Bye." }],
    { tools: [look, broken] },
    { files: memoryFiles() },
  );

describe("F14 what comes out is shown", () => {
  it("sources, files and artifacts follow in the order in which they arrived", async () => {
    const world = begun();
    const { sessionId } = await world.say("Go");
    const [result] = await world.of(sessionId, "tool_result");
    const parts = await partsOf(world, sessionId);
    expect(typesOf(parts)).toEqual([
      ...["text", "tool", "source", "source", "file", "artifact"],
      ...["source", "text", "text"],
    ]);
    const key = (at: number) => `${result?.seq}:${at}`;
    const file = {
      id: expect.stringMatching(/^[0-9a-f]{64}$/),
      mediaType: "image/png",
      width: 40,
      height: 30,
    };
    expect(parts.slice(2, 7)).toEqual([
      { type: "source", key: key(0), callId: "c1", ...guide },
      { type: "source", key: key(1), callId: "c1", ...note },
      { type: "file", key: key(2), callId: "c1", ...file, bytes: chart.length },
      {
        type: "artifact",
        key: expect.any(String),
        artifact: expect.objectContaining({ title: "A plan", payload: { steps: 2 } }),
      },
      {
        type: "source",
        key: expect.any(String),
        id: "https://example.com/a",
        url: "https://example.com/a",
        title: "A",
      },
    ]);
    expect(new Set(parts.map((part) => part.key)).size).toBe(parts.length);
  });

  it("citations of all forms belong to their text, without what is for the model", async () => {
    const world = begun();
    const { sessionId } = await world.say("Go");
    const [before, cited] = (await partsOf(world, sessionId)).slice(-2);
    expect(before).toEqual({ type: "text", key: expect.any(String), text: "It ", open: false });
    expect(cited).toMatchObject({ type: "text", text: "rains." });
    expect(cited?.type === "text" && cited.citations).toEqual([
      { text: "It rains.", source: "https://example.com/a", title: "A", page: null },
      { text: "Page one.", source: null, title: "a.pdf", page: 3 },
      { text: "x", source: null, title: null, page: null },
      { text: "y", source: "doc-1", title: "The guide", page: null },
    ]);
    const { messages } = await world.pawl.view(sessionId, user);
    expect(messages.at(-1)?.text).toContain("It rains.");
    expect(JSON.stringify(messages)).not.toContain("SECRET");
  });

  it("the last message of a run has what the run has used", async () => {
    const world = begun();
    const { sessionId, usage, costUsd } = await world.say("Go");
    const { messages, run } = await world.pawl.view(sessionId, user);
    expect(messages.map((message) => message.usage)).toEqual([undefined, { ...usage, costUsd }]);
    expect(usage.inputTokens).toBeGreaterThan(10);
    expect(run?.usage).toEqual({ ...usage, costUsd });
    await world.say("More", { sessionId });
    const next = (await world.pawl.view(sessionId, user)).messages;
    expect(next[1]?.usage).toEqual({ ...usage, costUsd });
    expect(next[3]?.usage?.inputTokens).toBeGreaterThan(0);
  });

  it("a failed call shows its sources too, and a picture that is not in the result is not shown", async () => {
    const own = tool({ name: "own", description: "Does its own.", input, execute: () => "done" });
    const hidden = tool({
      name: "hidden",
      description: "Shows the model a picture.",
      input,
      execute: () => "done",
      format: () => [
        { type: "image", source: { type: "base64", media_type: "image/png", data: base64(chart) } },
      ],
    });
    const tools = ["broken", "own", "hidden"].map((name) => ({ name }));
    const world = setup(
      [{ tools }, { text: "Ok." }],
      { tools: [broken, own, hidden] },
      { files: memoryFiles() },
    );
    const { sessionId } = await world.say("Go");
    const parts = await partsOf(world, sessionId);
    expect(typesOf(parts)).toEqual(["tool", "tool", "tool", "source", "text"]);
  });

  it("a sub-agent's sources are those of its call, each once", async () => {
    const inner = setup([{ tools: [{ name: "look" }, { name: "broken" }] }, { text: "Found." }], {
      name: "inner",
      tools: [look, broken],
    });
    const ask = agentTool({ agent: inner.agent, description: "Asks." });
    const world = setup([{ tools: [{ name: "inner", input: { task: "Go" } }] }, { text: "Ok." }], {
      tools: [ask],
    });
    const { sessionId } = await world.say("Go");
    const parts = await partsOf(world, sessionId);
    expect(parts.flatMap((part) => (part.type === "source" ? [part.id] : []))).toEqual(["doc-1", "doc-2"]);
  });
});

/** What a page shows that got the redaction live, and what it shows after a reload. */
async function bothWays(world: Setup, sessionId: string): Promise<[ViewPart[], ViewPart[]]> {
  const shown = (events: readonly StoredEvent[]) =>
    events
      .reduce(reduceView, newView())
      .messages.flatMap(({ role, parts }) => (role === "user" ? [] : parts));
  return [shown(await world.log(sessionId)), shown(await Array.fromAsync(readShown(world.store, sessionId)))];
}

describe("F14 redacted", () => {
  it.each([
    ["tool_result", ["source", "source", "file"], ["The guide", "png"]],
    ["artifact", ["artifact"], ["A plan", "steps"]],
  ] as const)("a %s takes its parts with it, live and after a reload", async (type, gone, texts) => {
    const world = begun();
    const { sessionId } = await world.say("Go");
    const before = typesOf(await partsOf(world, sessionId));
    const [event] = await world.of(sessionId, type);
    await world.pawl.redact(sessionId, event?.seq ?? 0, user);
    const [live, reloaded] = await bothWays(world, sessionId);
    expect(live).toEqual(reloaded);
    const left = [...before];
    for (const one of gone) left.splice(left.indexOf(one), 1);
    expect(typesOf(live)).toEqual(left);
    // The model has cited the guide by its title.
    const mine = JSON.stringify(live.filter((part) => part.type !== "text"));
    for (const text of texts) expect(mine).not.toContain(text);
    const read = await Array.fromAsync(
      readShown(world.store, sessionId, { types: ["tool_result", "artifact"] }),
    );
    for (const text of texts) expect(JSON.stringify(read)).not.toContain(text);
  });

  it("an answer takes its citations and what it has found with it", async () => {
    const world = begun();
    const { sessionId } = await world.say("Go");
    const answer = (await world.of(sessionId, "assistant_message"))[1];
    await world.pawl.redact(sessionId, answer?.seq ?? 0, user);
    for (const parts of await bothWays(world, sessionId)) {
      expect(JSON.stringify(parts)).not.toContain("example.com");
      expect(parts.some((part) => part.type === "text" && part.citations !== undefined)).toBe(false);
    }
  });
});

it("F14 a redacted answer has one text left, live and after a reload", async () => {
  const world = begun();
  const { sessionId } = await world.say("Go");
  const answer = (await world.of(sessionId, "assistant_message"))[1];
  await world.pawl.redact(sessionId, answer?.seq ?? 0, user);
  for (const parts of await bothWays(world, sessionId))
    expect(parts.flatMap((part) => (part.type === "text" ? [part.text] : []))).toEqual([
      "One moment.",
      "[redacted]",
    ]);
});

describe("F14 a retry", () => {
  it("keeps the sources, files and artifacts of calls, and none of the answer that broke off", async () => {
    const world = setup(
      [
        { tools: [{ name: "look", id: "c1" }] },
        { content: searched, delayPerEventMs: 5 },
        { text: "It rains." },
      ],
      { tools: [look] },
      { files: memoryFiles() },
    );
    const stop = new AbortController();
    const run = world.pawl.run("tester", { ...user, input: "Go", signal: stop.signal });
    run.on("text_delta", ({ data }) => {
      if (data.text.includes("rain")) stop.abort();
    });
    const { sessionId, runId } = await run.result;
    const kept = ["tool", "source", "source", "file", "artifact"];
    expect(typesOf(await partsOf(world, sessionId)).slice(0, 7)).toEqual([...kept, "source", "text"]);
    await world.pawl.run("tester", { ...user, sessionId, retry: runId }).result;
    expect(typesOf(await partsOf(world, sessionId))).toEqual([...kept, "text"]);
  });
});

describe("F14 a tool's sources", () => {
  it.each([
    [[{ id: "", title: "x" }]],
    [[{ id: "x", title: 1 }]],
    [[{ id: "x", title: "x", url: "javascript:alert(1)" }]],
    [[null]],
    [Array.from({ length: 1_001 }, (_, n) => ({ id: `${n}`, title: "x" }))],
  ])("are refused if they cannot be shown", async (sources) => {
    const wrong = tool({
      name: "wrong",
      description: "Reports nonsense.",
      input,
      execute: (_, { report }: ToolContext) => report({ sources: sources as never }),
    });
    const world = setup([{ tools: [{ name: "wrong" }] }, { text: "Ok." }], { tools: [wrong] });
    const { actions } = await world.say("Go");
    expect(actions[0]?.success).toBe(false);
    expect(String(actions[0]?.result)).toMatch(/`sources`/);
  });
});
