import { scriptedModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { agUi, aiSdk } from "../../../src/index.ts";
import { httpAgent, say, talk } from "../../support/agents.ts";
import { chat } from "../../support/chat.ts";
import { serve } from "../../support/served.ts";

const hello = () => scriptedModel([{ text: "Hello." }]);
const PIXEL = "iVBORw0KGgo=";
const WORDS = "A message must consist of text.";

describe.each([6, 7] as const)("W2 a file in a message of the AI SDK %i", (version) => {
  it("is refused in words, and the next message goes through", async () => {
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
  it("is refused in words, and the next message goes through", async () => {
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
