import {
  type AgentOptions,
  approval,
  jsonSchema,
  memoryFiles,
  type SessionEvent,
  type ToolContext,
  tool,
} from "@pawl/core";
import { newView, reduceView, type ViewState } from "@pawl/core/view";
import { type Reply, scriptedModel } from "@pawl/testing";
import { EventSource } from "eventsource";
import { describe, expect, it, onTestFinished } from "vitest";
import { expectPrinted } from "../../../../test/support/printed.ts";
import { dot } from "../support/filing.ts";
import { confirm, look, type Served, serve } from "../support/served.ts";

const nothing = jsonSchema<object>({ type: "object" });
const answer = jsonSchema<{ yes: boolean }>({ type: "object", required: ["yes"] });
const soon = tool({
  name: "soon",
  description: "Asks, and does not wait for long.",
  input: nothing,
  suspends: { answer, expires: { afterMs: 1, default: { yes: false } } },
});
const locate = tool({
  name: "locate",
  description: "Where the user is.",
  input: nothing,
  runsIn: "client",
  output: jsonSchema<{ city: string }>({ type: "object" }),
});
const find = tool({
  name: "find",
  description: "Finds documents.",
  input: nothing,
  execute: (_, { report }: ToolContext) => {
    report({ sources: [{ id: "doc-1", title: "The guide", url: "https://docs.example/1" }] });
    return "found";
  },
});
const called = (name: string): Reply => ({ tools: [{ id: "c1", name, input: {} }] });

/** A page that sends by `fetch`, reads an EventSource, and folds what it reads. */
interface Page {
  view(): ViewState;
  post(json: object): Promise<Response>;
}

interface Setting {
  hooks?: NonNullable<AgentOptions<unknown>["hooks"]>;
  output?: AgentOptions<unknown>["output"];
}

async function serving(replies: Reply[], { hooks = [], output }: Setting = {}): Promise<Served> {
  const tools = [confirm, look, soon, locate, find];
  const rest = { files: memoryFiles(), hooks: [...hooks], ...(output && { output }) };
  return await serve(scriptedModel(replies), { tools, ...rest });
}

function read(served: Served, sessionId: string): Page {
  const source = new EventSource(`${served.url}/sessions/${sessionId}/stream`, {
    fetch: (url, init) => fetch(url, { ...init, headers: { ...init.headers, authorization: "Bearer ada" } }),
  });
  onTestFinished(() => source.close());
  let view = newView();
  source.onmessage = ({ data }) => {
    view = reduceView(view, JSON.parse(data) as SessionEvent);
  };
  return { view: () => view, post: (json) => served.ask("/runs", { json: { sessionId, ...json } }) };
}

/** Sends the first message, and opens the page of its session. */
async function begin(served: Served, json: object = { input: "Go" }): Promise<Page & { sessionId: string }> {
  const response = await served.ask("/runs", { json });
  if (response.status !== 200) throw new Error(await response.text());
  await response.text();
  const sessionId = response.headers.get("x-pawl-session") ?? "";
  return { sessionId, ...read(served, sessionId) };
}

const says = (page: Page, text: string) => expect.poll(() => page.view().messages.at(-1)?.text).toBe(text);
const call = ({ view }: Page) =>
  view()
    .messages.flatMap(({ parts }) => parts)
    .find((part) => part.type === "tool");

describe("W2 a page without a package, over an EventSource", () => {
  it.each([true, false])("P1 asks for approval, answered with %s", async (approved) => {
    const hooks = [approval({ when: ["look"] })];
    const page = await begin(await serving([called("look"), { text: "Then so." }], { hooks }));
    await expect.poll(() => page.view().pending).toMatchObject([{ kind: "approval", callId: "c1" }]);
    await page.post({ answers: [{ callId: "c1", value: { approved } }] });
    await says(page, "Then so.");
    expect(call(page)).toMatchObject({ phase: approved ? "done" : "error" });
  });

  it("L12 retries a failed run, in two tabs at once, and both show one answer", async () => {
    expectPrinted("pawl: invalid_request_error");
    const broken = { text: "Half", fault: { midStream: "invalid_request_error", afterEvents: 4 } } as const;
    const served = await serving([broken, { text: "Now it works." }]);
    const page = await begin(served);
    await expect.poll(() => page.view().run?.failed).toBe(true);
    const other = read(served, page.sessionId);
    const json = { retry: page.view().run?.id };
    const all = await Promise.all([page.post(json), other.post(json)]);
    expect(all.map(({ status }) => status)).toEqual([200, 200]);
    for (const tab of [page, other]) await says(tab, "Now it works.");
  });

  it("F12 answers for a tool of the page", async () => {
    const page = await begin(await serving([called("locate"), { text: "Bonn!" }]));
    await expect.poll(() => page.view().pending).toMatchObject([{ clientTool: "locate", callId: "c1" }]);
    await page.post({ answers: [{ callId: "c1", value: { city: "Bonn" } }] });
    await says(page, "Bonn!");
    expect(call(page)).toMatchObject({ result: { city: "Bonn" } });
  });

  it("F1 sends a file that it has uploaded, and shows it", async () => {
    const served = await serving([{ text: "I see." }]);
    const headers = { "content-type": "application/octet-stream" };
    const uploaded = await served.ask("/files", { method: "POST", body: dot, headers });
    const { id } = (await uploaded.json()) as { id: string };
    const page = await begin(served, {
      input: [
        { type: "file", id },
        { type: "text", text: "Look" },
      ],
    });
    await says(page, "I see.");
    const [file] = page.view().messages[0]?.parts ?? [];
    expect(file).toMatchObject({ type: "file", id, mediaType: "image/png", url: `/api/coach/files/${id}` });
  });

  it("F14 F2 shows a source and the run's output", async () => {
    const output = jsonSchema<{ sum: number }>({ type: "object", required: ["sum"] });
    const final: Reply = { tools: [{ id: "f", name: "final_answer", input: { sum: 3 } }] };
    const page = await begin(await serving([called("find"), final], { output }));
    await expect.poll(() => page.view().run?.open).toBe(false);
    const parts = page.view().messages[1]?.parts ?? [];
    const source = { type: "source", title: "The guide", url: "https://docs.example/1" };
    expect(parts).toContainEqual(expect.objectContaining(source));
    expect(parts).toContainEqual(expect.objectContaining({ type: "output", value: { sum: 3 } }));
  });

  it("F26 has the default of a question that has expired, and a later answer is refused", async () => {
    const page = await begin(await serving([called("soon"), { text: "Then not." }]));
    await says(page, "Then not.");
    expect(call(page)).toMatchObject({ phase: "done", result: { yes: false } });
    const late = await page.post({ answers: [{ callId: "c1", value: { yes: true } }] });
    expect([late.status, await late.text()]).toEqual([409, expect.stringContaining("already_answered")]);
  });
});
