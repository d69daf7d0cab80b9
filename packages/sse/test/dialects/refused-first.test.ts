import { memoryFiles } from "@pawl/core";
import { strictModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { agUi, aiSdk } from "../../src/index.ts";
import { httpAgent, say, talk } from "../support/agents.ts";
import { chat, textOf } from "../support/chat.ts";
import { DOT } from "../support/filing.ts";
import { type Served, serve } from "../support/served.ts";

const hello = () => strictModel({ rules: () => ({ text: "Hello." }) });
const UNKNOWN_TYPE = Buffer.from([0, 1, 2, 3]).toString("base64");
const sessions = async ({ ask }: Served): Promise<unknown[]> =>
  ((await (await ask("/sessions")).json()) as { sessions: unknown[] }).sessions;

const WAYS = [
  ["a picture where the runtime keeps no files", DOT, false],
  ["a file of a type that no model reads", UNKNOWN_TYPE, true],
] as const;

describe.each([6, 7] as const)("F1 a refused first message of the AI SDK %i", (version) => {
  it.each(WAYS)("leaves no session: %s", async (_, data, keeps) => {
    const served = await serve(hello(), { dialect: aiSdk(), ...(keeps && { files: memoryFiles() }) });
    const page = chat(version, served, { id: "c" });
    const url = `data:image/png;base64,${data}`;
    await page.sendMessage({ text: "What?", files: [{ type: "file", mediaType: "", url }] } as never);
    expect(page.status).toBe("error");
    expect(await sessions(served)).toEqual([]);
    await page.sendMessage({ text: "Hi" });
    expect([page.error, textOf(page.messages.at(-1))]).toEqual([undefined, "Hello."]);
    expect(await sessions(served)).toHaveLength(1);
  });

  it("and one that is taken begins one session, whatever is in it", async () => {
    const served = await serve(hello(), {
      dialect: aiSdk(),
      files: memoryFiles(),
      extra: { fields: ["bed"], read: ({ bed = null }) => ({ params: { bed }, metadata: { bed } }) },
    });
    const page = chat(version, served, { id: "c" });
    const file = { type: "file", mediaType: "", url: `data:image/png;base64,${DOT}` };
    const send = page.sendMessage.bind(page) as (...asked: object[]) => Promise<void>;
    await send({ text: "What?", files: [file] }, { body: { bed: 3 } });
    expect([page.error, textOf(page.messages.at(-1))]).toEqual([undefined, "Hello."]);
    expect(await sessions(served)).toHaveLength(1);
    const [session] = await served.store.sessions.list({ userId: "ada" });
    expect(session?.metadata).toMatchObject({ bed: 3 });
  });
});

describe.each(["0.0.59", "1.0"] as const)("F1 a refused first message of AG-UI %s", (version) => {
  it.each(WAYS)("leaves no session: %s", async (_, data, keeps) => {
    const served = await serve(hello(), { dialect: agUi(), ...(keeps && { files: memoryFiles() }) });
    const content = [
      { type: "text", text: "What?" },
      version === "1.0"
        ? { type: "image", source: { type: "data", value: data, mimeType: "image/png" } }
        : { type: "binary", mimeType: "image/png", data },
    ];
    await say(httpAgent(version, served, { threadId: "t1" }), content as never).catch(() => undefined);
    expect(await sessions(served)).toEqual([]);
    const client = httpAgent(version, served, { threadId: "t1" });
    await say(client, "Hi");
    expect(talk(client).at(-1)).toBe("assistant Hello.");
    expect(await sessions(served)).toHaveLength(1);
  });

  it("leaves no session: tools that are not valid", async () => {
    const served = await serve(hello(), { dialect: agUi(), clientTools: true });
    const tools = [{ name: "no name!", description: "x", parameters: {} }];
    const message = { id: "m1", role: "user", content: "Hi" };
    const json = { threadId: "t1", runId: "r1", messages: [message], tools, context: [], state: {} };
    const response = await served.ask("/runs", { json: { ...json, forwardedProps: {} } });
    expect(await response.text()).toContain("RUN_ERROR");
    expect(await sessions(served)).toEqual([]);
  });
});
