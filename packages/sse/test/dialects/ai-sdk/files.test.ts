import { memoryFiles } from "@pawl/core";
import { scriptedModel, strictModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { expectPrinted } from "../../../../../test/support/printed.ts";
import { agUi, aiSdk } from "../../../src/index.ts";
import { errorOf, httpAgent, reloaded, run, say, talk } from "../../support/agents.ts";
import { chat, history, type Message, textOf } from "../../support/chat.ts";
import { DOT, dot, image, serveFiles } from "../../support/filing.ts";
import { serve } from "../../support/served.ts";

const hello = () => scriptedModel([{ text: "Hello." }]);
const PIXEL = "iVBORw0KGgo=";
/** Another PNG of one pixel: bytes after its end make it another file. */
const OTHER = Buffer.concat([dot, Buffer.from("!")]).toString("base64");
const picture = (data: string) => ({
  type: "file",
  mediaType: "image/png",
  url: `data:image/png;base64,${data}`,
});
const WORDS = "Messages cannot have files here";

describe.each([6, 7] as const)("W2 a file in a message of the AI SDK %i", (version) => {
  it("is refused in words where the runtime keeps none, and the next message goes through", async () => {
    const model = hello();
    const served = await serve(model, { dialect: aiSdk() });
    const page = chat(version, served);
    const file = { type: "file", mediaType: "image/png", url: `data:image/png;base64,${PIXEL}` };
    await page.sendMessage({ text: "What is this?", files: [file] } as never);
    expect(page.error?.message).toContain(WORDS);
    expect(model.requests).toEqual([]);
    await page.sendMessage({ text: "Hi" });
    expect([page.error, page.messages.at(-1)?.parts.at(-1)?.text]).toEqual([undefined, "Hello."]);
  });
});

describe.each(["0.0.59", "1.0"] as const)("W2 a file in a message of AG-UI %s", (version) => {
  it("is refused in words where the runtime keeps none, and the next message goes through", async () => {
    const model = hello();
    const served = await serve(model, { dialect: agUi() });
    const client = httpAgent(version, served);
    const source = { type: "data", value: PIXEL, mimeType: "image/png" };
    const content = [
      { type: "text", text: "What is this?" },
      version === "1.0" ? { type: "image", source } : { type: "binary", mimeType: "image/png", data: PIXEL },
    ];
    const refused = await say(client, content as never).catch((error: Error) => [error]);
    expect(JSON.stringify(refused.map((event) => "message" in event && event.message))).toContain(WORDS);
    expect(model.requests).toEqual([]);
    await say(client, "Hi");
    expect(talk(client).at(-1)).toBe("assistant Hello.");
  });
});

describe.each([6, 7] as const)("F1 W2 files in messages of the AI SDK %i", (version) => {
  it("are stored once from their data URLs, come back by their paths, and stay when the page sends them again", async () => {
    const served = await serveFiles({ dialect: aiSdk() });
    const page = chat(version, served, { id: "c1" });
    const file = {
      type: "file",
      mediaType: "application/x-lie",
      filename: "dot.png",
      url: `data:image/jpeg;base64,${DOT}`,
    };
    await page.sendMessage({ text: "What is this?", files: [file] } as never);
    expect([page.error, page.messages.at(-1)?.parts.at(-1)?.text]).toEqual([undefined, "I see."]);
    expect(served.seen()).toEqual([image, { type: "text", text: "What is this?" }]);
    const before = await history(served, "c1");
    const [shown] = (before[0]?.parts ?? []) as { url?: string }[];
    const url = expect.stringMatching(/^\/api\/coach\/files\/[0-9a-f]{64}$/);
    expect(shown).toEqual({ type: "file", mediaType: "image/png", filename: "dot.png", url });
    const loaded = await served.ask(shown?.url?.replace("/api/coach", "") ?? "");
    expect(Buffer.from(await loaded.arrayBuffer())).toEqual(Buffer.from(dot));
    const again = chat(version, served, { id: "c1", messages: before });
    await again.sendMessage({ text: "And now?" });
    expect([again.error, served.seen()]).toEqual([undefined, [{ type: "text", text: "And now?" }]]);
    expect(await served.stored()).toHaveLength(2);
  });

  it("are named by the path of an uploaded file, and other addresses are refused", async () => {
    const served = await serveFiles({ dialect: aiSdk() });
    const id = await served.id(dot);
    const foreign = await served.id(new TextEncoder().encode("secret"), "eve");
    const page = chat(version, served);
    const send = async (url: string) => {
      await page.sendMessage({ files: [{ type: "file", mediaType: "", url }] } as never);
      return page.error?.message;
    };
    expect(await send("https://evil.example/a.png")).toContain("must be a `data:` URL");
    expect(await send("data:text/html,hello")).toContain("must be a `data:` URL");
    expect(await send(`/api/coach/files/${foreign}`)).toContain("does not exist");
    expect(await send(`https://app.example/api/coach/files/${id}`)).toBeUndefined();
    expect(served.seen()).toEqual([image]);
  });

  it("are part of a message that is sent again after a failure", async () => {
    const served = await serveFiles({ dialect: aiSdk() });
    const id = await served.id(dot);
    const other = await served.id(new TextEncoder().encode("other"));
    const page = chat(version, served, { id: "c1" });
    const file = { type: "file", mediaType: "image/png", url: `/files/${id}` };
    await page.sendMessage({ text: "What?", files: [file] } as never);
    const [message] = page.messages;
    const send = async (parts: unknown) => {
      const json = { id: "c1", trigger: "regenerate-message", messages: [{ ...message, parts }] };
      const response = await served.ask("/runs", { json });
      return await response.text();
    };
    const said = { type: "text", text: "What?" };
    expect(await send([file, said])).toContain("This message has been answered.");
    for (const changed of [[said], [file, file, said], [{ ...file, url: `/files/${other}` }, said]])
      expect(await send(changed)).toContain("A message that was sent cannot be changed");
  });
});

describe.each([6, 7] as const)("F1 W5 a failed message of the AI SDK %i that is sent again", (version) => {
  const said = { type: "text", text: "What?" };
  const failing = async () => {
    expectPrinted("pawl: invalid_request_error");
    const model = strictModel({ script: [{ text: "", fault: { status: 400 } }, { text: "A dot." }] });
    const served = await serve(model, { dialect: aiSdk(), files: memoryFiles() });
    const page = chat(version, served, { id: "c1" });
    await page.sendMessage({ text: "What?", files: [picture(DOT)] } as never);
    expect([page.status, model.requests.length]).toEqual(["error", 1]);
    return { model, page };
  };

  it.each(["regenerate", "sendMessage"] as const)("is refused by %s() with another picture", async (how) => {
    const { page, model } = await failing();
    const [message] = page.messages;
    const parts = [picture(OTHER), said];
    page.messages = [{ ...message, parts } as Message];
    if (how === "regenerate") await page.regenerate();
    else await page.sendMessage({ parts, messageId: message?.id } as never);
    expect(page.error?.message).toContain("A message that was sent cannot be changed");
    expect(model.requests).toHaveLength(1);
  });

  it("is tried again with the same picture", async () => {
    const { page } = await failing();
    await page.regenerate();
    expect([page.error, textOf(page.messages.at(-1))]).toEqual([undefined, "A dot."]);
  });
});

describe.each(["0.0.59", "1.0"] as const)(
  "F1 W5 a failed message of AG-UI %s that is sent again",
  (version) => {
    const content = (value: string) => [
      { type: "text", text: "What?" },
      { type: "image", source: { type: "data", value, mimeType: "image/png" } },
    ];

    it.each([true, false])("has the same picture, and is tried again: %s", async (isSame) => {
      expectPrinted("pawl: invalid_request_error");
      const model = strictModel({ script: [{ text: "", fault: { status: 400 } }, { text: "A dot." }] });
      const served = await serve(model, { dialect: agUi(), files: memoryFiles() });
      const client = httpAgent(version, served);
      await say(client, content(DOT) as never);
      const [message] = client.messages;
      client.setMessages([{ ...message, content: content(isSame ? DOT : OTHER) } as never]);
      const events = await run(client);
      if (!isSame) expect(errorOf(events)).toContain("A message that was sent cannot be changed");
      expect(model.requests).toHaveLength(isSame ? 2 : 1);
    });
  },
);

describe.each(["0.0.59", "1.0"] as const)("F1 W2 files in messages of AG-UI %s", (version) => {
  it("are stored once, and come back by their paths", async () => {
    const served = await serveFiles({ dialect: agUi() });
    const client = httpAgent(version, served, { threadId: "t1" });
    const source = { type: "data", value: DOT, mimeType: "image/png" };
    const text = { type: "text", text: "What is this?" };
    const media = { type: "image", source, metadata: { filename: "dot.png" } };
    const events = await say(client, [text, media] as never);
    expect(events.at(-1)?.type).toBe("RUN_FINISHED");
    expect(served.seen()).toEqual([image, text]);
    const page = await reloaded(version, served, "t1");
    const value = expect.stringMatching(/^\/api\/coach\/files\/[0-9a-f]{64}$/);
    expect(page.messages[0]?.content).toEqual([
      {
        type: "image",
        source: { type: "url", value, mimeType: "image/png" },
        metadata: { filename: "dot.png" },
      },
      text,
    ]);
    await say(page, "And now?");
    expect(served.seen()).toEqual([{ type: "text", text: "And now?" }]);
    expect(talk(page).at(-1)).toBe("assistant I see.");
  });

  it("are named by the paths and ids of uploaded files", async () => {
    const served = await serveFiles({ dialect: agUi() });
    const id = await served.id(dot);
    const named = [
      { type: "document", source: { type: "url", value: `/api/coach/files/${id}` } },
      version === "1.0"
        ? { type: "image", source: { type: "file", value: id } }
        : { type: "binary", mimeType: "image/png", id },
      { type: "binary", mimeType: "image/png", data: DOT, filename: "b.png" },
    ];
    await say(httpAgent(version, served), named as never);
    expect(served.seen()).toEqual([image, image, image]);
    const source = { type: "url", value: "https://evil.example/a.png" };
    const refused = await say(httpAgent(version, served), [{ type: "image", source }] as never).catch(
      (error: Error) => [error],
    );
    expect(JSON.stringify(refused.map((event) => "message" in event && event.message))).toContain(
      "must be a `data:`",
    );
  });
});
