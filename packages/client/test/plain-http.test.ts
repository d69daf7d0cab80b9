import { scriptedModel } from "@pawl/testing";
import { afterEach, expect, it, vi } from "vitest";
import { clientOf, isIdle, lastText, serve, when } from "./support/clients.ts";

afterEach(() => void vi.restoreAllMocks());

it("U2 sends on a page over plain http, where there is no `crypto.randomUUID`", async () => {
  const served = await serve(scriptedModel([{ text: "One." }, { text: "Two." }]));
  const client = clientOf(served);
  const uuid = vi.spyOn(crypto, "randomUUID");
  const sending = client.send("Hi");
  expect(uuid).not.toHaveBeenCalled();
  expect(await sending).toBe(true);
  await when(client, (state) => isIdle(state) && lastText(state) === "One.");
  await client.send("Again");
  const { messages } = await when(client, (state) => isIdle(state) && lastText(state) === "Two.");
  expect(new Set(messages.map(({ id }) => id)).size).toBe(4);
});

it("U2 shows an error and keeps the text if no id can be made", async () => {
  const log = vi.spyOn(console, "error").mockReturnValue();
  const cause = new TypeError("crypto.randomUUID is not a function");
  const served = await serve(scriptedModel([{ text: "One." }]));
  let fails = true;
  const newId = () => {
    if (fails) throw cause;
    return "m1";
  };
  const client = clientOf(served, { newId });
  expect(await client.send("Hi there")).toBe(false);
  expect(client.getState()).toMatchObject({
    phase: "error",
    messages: [],
    error: { code: "internal", text: "Hi there", message: expect.stringContaining("could not be sent") },
  });
  expect(log.mock.calls.flat()).toContain(cause);
  fails = false;
  expect(await client.send("Hi there")).toBe(true);
  expect(client.getState().error).toBeUndefined();
  await when(client, isIdle);
});
