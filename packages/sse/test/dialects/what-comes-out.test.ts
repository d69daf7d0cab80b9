import { jsonSchema, memoryFiles, type ToolContext, tool } from "@pawl/core";
import { strictModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { createAgentClient, until } from "../../../client/src/index.ts";
import { agUi, aiSdk, type Dialect } from "../../src/index.ts";
import { type AgMessage, httpAgent, reloaded, say } from "../support/agents.ts";
import { chat, history } from "../support/chat.ts";
import { DOT, dot } from "../support/filing.ts";
import { confirm, type Served, serve } from "../support/served.ts";

const guide = { id: "doc-1", title: "The guide", url: "https://docs.example/1" };
const note = { id: "doc-2", title: "A note" };
const find = tool({
  name: "find",
  description: "Finds documents.",
  input: jsonSchema<object>({ type: "object" }),
  execute: (_, { report, createArtifact }: ToolContext) => {
    report({ sources: [guide, note] });
    createArtifact({ type: "plan", title: "A plan", payload: { steps: 2 } });
    return { png: DOT };
  },
  format: (result) => {
    const { png: data } = result as { png: string };
    return [{ type: "image", source: { type: "base64", media_type: "image/png", data } }];
  },
});

const page = { url: "https://example.com/rain", title: "Rain" };
const sealed = { type: "web_search_result", encrypted_content: "SECRET" };
const place = { document_index: 0, document_title: "a.pdf", start_page_number: 2, end_page_number: 3 };
const id = "srvtoolu_1";
/** An answer that has searched the web and cites a page of it, a page of a PDF and a document of a tool. */
const cited = [
  { type: "server_tool_use", id, name: "web_search", input: { query: "rain" } },
  { type: "web_search_tool_result", tool_use_id: id, content: [{ ...sealed, ...page }] },
  { type: "text", text: "I looked. " },
  {
    type: "text",
    text: "It rains.",
    citations: [
      { type: "web_search_result_location", ...page, encrypted_index: "SECRET", cited_text: "Rain in Oslo." },
      { type: "page_location", ...place, cited_text: "Page two.", file_id: null },
    ],
  },
];
const outcome = [
  { id: "doc-1", title: "The guide", url: "https://docs.example/1" },
  { id: "doc-2", title: "A note" },
];

async function serving(dialect?: Dialect): Promise<Served> {
  const script = [
    { text: "One moment.", tools: [{ id: "c1", name: "find", input: {} }] },
    { content: cited },
  ];
  const model = strictModel({ script: [...script, { text: "Bye." }] });
  return await serve(model, {
    tools: [find, confirm],
    files: memoryFiles(),
    ...(dialect !== undefined && { dialect }),
  });
}

/** Loads the picture that a page shows. */
async function picture({ ask }: Served, url: unknown): Promise<Buffer> {
  const response = await ask(String(url).replace("/api/coach", ""));
  return Buffer.from(await response.arrayBuffer());
}

const artifact = expect.objectContaining({ title: "A plan", payload: { steps: 2 } });

describe.each([6, 7] as const)("F14 what comes out, in useChat of AI SDK %i", (version) => {
  it("are parts that its clients know, once each, and the same after a reload", async () => {
    const served = await serving(aiSdk());
    const talk = chat(version, served, { id: "c" });
    await talk.sendMessage({ text: "Go" });
    expect([talk.error, talk.status]).toEqual([undefined, "ready"]);
    const parts = talk.messages.at(-1)?.parts as ({ type: string } & Record<string, unknown>)[];
    expect(parts.map(({ type }) => type)).toEqual([
      ...["step-start", "text", "tool-find", "source-url", "source-document", "file", "data-artifact"],
      ...["step-start", "text", "text", "source-url", "source-document"],
    ]);
    const shown = parts.filter(({ type }) => /^(source-|file|data-)/.test(type));
    expect(shown).toMatchObject([
      { type: "source-url", sourceId: "doc-1", url: guide.url, title: "The guide" },
      { type: "source-document", sourceId: "doc-2", title: "A note", mediaType: "text/plain" },
      { type: "file", mediaType: "image/png" },
      { type: "data-artifact", id: expect.stringMatching(/^art_/), data: artifact },
      { type: "source-url", sourceId: page.url, ...page },
      { type: "source-document", sourceId: "a.pdf", title: "a.pdf", mediaType: "application/pdf" },
    ]);
    expect(await picture(served, shown[2]?.url)).toEqual(Buffer.from(dot));
    const text = parts.findLast((part) => part.type === "text");
    const citations = [
      { source: { type: "source", sourceType: "url", id: page.url, ...page }, citedText: "Rain in Oslo." },
      {
        source: {
          ...{ type: "source", sourceType: "document", id: "a.pdf" },
          ...{ title: "a.pdf", mediaType: "application/pdf" },
        },
        citedText: "Page two.",
      },
    ];
    expect(text?.providerMetadata).toEqual({ pawl: { citations } });
    const loaded = await history(served, "c");
    const [, message] = loaded;
    const same = (all: readonly object[] = []) =>
      JSON.parse(JSON.stringify(all, (key, value) => (key === "state" ? undefined : value)));
    expect(
      same(message?.parts).filter(({ type }: { type: string }) => /^(source-|file|data-)/.test(type)),
    ).toEqual(same(shown));
    expect(message?.parts.map(({ type }) => type)).toEqual(parts.map(({ type }) => type));
    expect(message?.parts.at(-3)).toMatchObject({ type: "text", providerMetadata: { pawl: { citations } } });
    expect(JSON.stringify([loaded, talk.messages])).not.toContain("SECRET");
    expect(talk.messages.at(-1)?.metadata).toMatchObject({ usage: { totalTokens: expect.any(Number) } });
    expect(message?.metadata).toEqual(talk.messages.at(-1)?.metadata);
    await talk.sendMessage({ text: "More" });
    expect([talk.error, talk.messages.at(-1)?.parts.at(-1)?.text]).toEqual([undefined, "Bye."]);
  });
});

describe.each(["0.0.59", "1.0"] as const)("F14 what comes out, in AG-UI %s", (version) => {
  it("are activities, which stay in their places, and are the same after a reload and each connect", async () => {
    const served = await serving(agUi());
    const client = httpAgent(version, served, { threadId: "t1" });
    const events = await say(client, "Go");
    expect(events.at(-1)).toMatchObject({
      type: "RUN_FINISHED",
      usage: [{ totalTokens: expect.any(Number) }],
    });
    const activities = (messages: readonly AgMessage[]) =>
      messages.flatMap((message) => {
        const { role, activityType, content } = message as unknown as Record<string, unknown>;
        return role === "activity" ? [{ activityType, content }] : [];
      });
    const shown = activities(client.messages);
    expect(shown).toMatchObject([
      ...outcome.map((content) => ({ activityType: "source", content: { callId: "c1", ...content } })),
      { activityType: "file", content: { mediaType: "image/png", width: 1, callId: "c1" } },
      { activityType: "artifact", content: artifact },
      {
        activityType: "citations",
        content: {
          text: "It rains.",
          citations: [
            { text: "Rain in Oslo.", source: page.url, title: "Rain", page: null },
            { text: "Page two.", source: null, title: "a.pdf", page: 2 },
          ],
        },
      },
      { activityType: "source", content: { id: page.url, ...page } },
    ]);
    const { url } = (shown[2]?.content ?? {}) as { url?: string };
    expect(await picture(served, url)).toEqual(Buffer.from(dot));
    const again = await reloaded(version, served, "t1");
    const inShort = (messages: readonly AgMessage[]) => messages.map(({ id, role }) => `${role} ${id}`);
    expect(inShort(again.messages).slice(1)).toEqual(inShort(client.messages).slice(1));
    expect(activities(again.messages)).toEqual(shown);
    const loaded = inShort(again.messages);
    for (const page of [again, httpAgent(version, served, { threadId: "t1" })]) {
      for (const _ of ["connects", "and again"]) {
        await page.connectAgent();
        expect(inShort(page.messages)).toEqual(loaded);
      }
    }
    expect(JSON.stringify([again.messages, events])).not.toContain("SECRET");
    const next = await say(again, "More");
    expect(next.at(-1)?.type).toBe("RUN_FINISHED");
    expect(again.messages.at(-1)).toMatchObject({ role: "assistant", content: "Bye." });
  });
});

describe("F14 what comes out, in a page of Pawl's own client", () => {
  it("is the same as in the view of the server, and after a reload", async () => {
    const served = await serving();
    const options = { url: served.url, headers: { authorization: "Bearer ada" } };
    const client = createAgentClient(options);
    await client.send("Go");
    const state = await until(client, ({ run }) => run?.open === false);
    const [, message] = state.messages;
    expect(message?.parts.map(({ type }) => type)).toEqual([
      ...["text", "tool", "source", "source", "file", "artifact", "source", "text", "text"],
    ]);
    expect(message?.usage?.inputTokens).toBeGreaterThan(0);
    const file = message?.parts.find(({ type }) => type === "file");
    expect(file?.type === "file" && (await picture(served, file.url))).toEqual(Buffer.from(dot));
    const sessionId = state.sessionId ?? "";
    const second = createAgentClient({ ...options, sessionId });
    const loaded = await until(second, ({ messages }) => messages.length === 2);
    expect(loaded.messages).toEqual(state.messages);
    const snapshot = await (await served.ask(`/sessions/${sessionId}`)).text();
    const events = await (await served.ask(`/sessions/${sessionId}/events`)).text();
    for (const text of [snapshot, events]) expect(text).not.toContain("SECRET");
    client.close();
    second.close();
  });
});
