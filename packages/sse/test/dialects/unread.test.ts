import { scriptedModel } from "@pawl/testing";
import { expect, it } from "vitest";
import { trainer } from "../../src/dialects.ts";
import { aiSdk, type Dialect } from "../../src/index.ts";
import { serve } from "../support/served.ts";

it("W2 the app is warned once about each kind of data that clients send and the agent does not read", async () => {
  const warnings: string[] = [];
  const plain = trainer();
  const dialect: Dialect = {
    ...plain,
    parse: async (body, limits, earlier) => ({
      ...(await plain.parse(body, limits, earlier)),
      unread: ["`tools` are not read.", "`context` is not read."],
    }),
  };
  const model = scriptedModel([{ text: "Hello." }, { text: "Hello." }]);
  const served = await serve(model, { dialect, onWarning: (message) => warnings.push(message) });
  for (const message of ["Hi", "Again"]) {
    const response = await served.ask("/runs", { json: { message } });
    expect([response.status, await response.text()]).toEqual([200, expect.stringContaining("done")]);
  }
  expect(warnings).toEqual(["`tools` are not read.", "`context` is not read."]);
});

it("W2 fields that a page of the AI SDK adds are reported, unless extra reads them", async () => {
  const warnings: string[] = [];
  const options = { dialect: aiSdk(), onWarning: (message: string) => warnings.push(message) };
  const extra = { fields: ["screen"], read: () => ({}) };
  const served = await serve(
    scriptedModel(() => ({ text: "Hello." })),
    { ...options, extra },
  );
  const send = async (id: string, own: object) => {
    const messages = [{ id, role: "user", parts: [{ type: "text", text: "Hi" }] }];
    const json = { ...own, id: "chat", trigger: "submit-message", messages, messageId: undefined };
    const response = await served.ask("/runs", { json });
    expect([response.status, await response.text()]).toEqual([200, expect.stringContaining("[DONE]")]);
  };
  await send("m1", {});
  await send("m2", { screen: "beds" });
  expect(warnings).toEqual([]);
  await send("m3", { screen: "beds", model: "gpt-5" });
  await send("m4", { temperature: 1 });
  expect(warnings).toEqual([expect.stringContaining("handler({ extra: { fields, read } })")]);
});
