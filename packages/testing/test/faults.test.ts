import { APIError } from "@anthropic-ai/sdk";
import { type MessagesApi, messagesApi, type Reply } from "@pawl/testing";
import { afterEach, expect, it } from "vitest";
import { sdk, send, valid } from "./support.ts";

let api: MessagesApi;
afterEach(() => api.close());

const serve = async (...script: Reply[]): Promise<void> => {
  api = await messagesApi({ script });
};

/** Reads a raw stream to its end or its error. */
async function read(signal?: AbortSignal): Promise<{ types: string[]; error?: unknown }> {
  const types: string[] = [];
  try {
    const stream = await sdk(api).messages.create(
      { ...valid(), stream: true } as never,
      signal === undefined ? {} : { signal },
    );
    for await (const event of stream as unknown as AsyncIterable<{ type: string }>) types.push(event.type);
    return { types };
  } catch (error) {
    return { types, error };
  }
}

it.each([
  [529, "overloaded_error", "Overloaded"],
  [500, "api_error", "Internal server error"],
  [504, "timeout_error", "Request timed out"],
  [402, "billing_error", "billing_error"],
])("L12 answers %i before the stream", async (status, type, text) => {
  await serve({ fault: { status } });
  expect(await send(api, valid())).toEqual({ status, type, text });
});

it("L12 answers 429 with retry-after and an error code", async () => {
  await serve({ fault: { status: 429, retryAfter: 7, errorCode: "enforced_spend_limit_reached" } });
  const { error } = await read();
  expect(error).toBeInstanceOf(APIError);
  const { status, headers, errorCode } = error as APIError;
  expect([status, headers?.get("retry-after"), errorCode]).toEqual([
    429,
    "7",
    "enforced_spend_limit_reached",
  ]);
});

it("L12 breaks off with an error event", async () => {
  await serve({ text: "Hello", fault: { midStream: "overloaded", afterEvents: 4 } });
  const { types, error } = await read();
  // The ping is the fourth; the SDK keeps it to itself.
  expect(types).toEqual(["message_start", "content_block_start", "content_block_delta"]);
  expect(error).toMatchObject({ status: undefined, type: "overloaded_error" });
});

it("L12 loses the connection", async () => {
  await serve({ text: "Hello", fault: { cut: 2 } });
  const { types, error } = await read();
  expect(types).toEqual(["message_start", "content_block_start"]);
  expect(error).toBeInstanceOf(TypeError);
});

it("L12 ends the stream before message_stop", async () => {
  await serve({ text: "Hello", fault: { cut: 2, end: true } });
  expect(await read()).toEqual({ types: ["message_start", "content_block_start"] });
});

it("L9 stalls until the client goes", async () => {
  await serve({ text: "Hello", fault: { stall: 1 } }, { text: "Next" });
  const started = performance.now();
  const { types } = await read(AbortSignal.timeout(200));
  expect(types).toEqual(["message_start"]);
  expect(performance.now() - started).toBeGreaterThan(150);
  expect((await read()).types.at(-1)).toBe("message_stop");
});

it("answers late and slowly when told", async () => {
  await serve({ text: "Hi", latencyMs: 100, delayPerEventMs: 20 });
  const started = performance.now();
  expect((await read()).types.at(-1)).toBe("message_stop");
  expect(performance.now() - started).toBeGreaterThan(200);
});

it("stops a slow stream when the client goes", async () => {
  await serve({ text: "Hi", delayPerEventMs: 60_000 }, { text: "Next" });
  await read(AbortSignal.timeout(100));
  expect((await read()).types.at(-1)).toBe("message_stop");
});

it("says that the script has ended, and asks nobody to retry", async () => {
  await serve({ text: "Only one." });
  await read();
  const { error } = await read();
  expect(error).toMatchObject({ status: 500 });
  expect((error as APIError).headers?.get("x-should-retry")).toBe("false");
  expect((error as APIError).apiMessage).toContain(
    "The script of messagesApi() is out of replies: it has 1 reply, and this is request 2.",
  );
});
