import { agent, memoryStore, resilient, runtime } from "@pawl/core";
import { expect, it } from "vitest";
import { openai } from "../src/index.ts";
import { chunk } from "./support.ts";

const MESSAGE = "Failed to call a function. Please adjust your prompt.";
const broken = () =>
  Response.json(
    {
      error: {
        message: MESSAGE,
        type: "invalid_request_error",
        code: "tool_use_failed",
        failed_generation: "<function=look{}",
      },
    },
    { status: 400 },
  );
const events = [chunk({ content: "Rain." }), chunk({}, "stop")].map(
  (one) => `data: ${JSON.stringify(one)}\n\n`,
);
const whole = () =>
  new Response(`${events.join("")}data: [DONE]\n\n`, { headers: { "content-type": "text/event-stream" } });

/** A run over a server that answers `failures` times that the model's call is broken. */
async function run(failures: number, retries: number) {
  let requests = 0;
  const fetch = async () => {
    requests += 1;
    return requests <= failures ? broken() : whole();
  };
  const model = openai("llama", { apiKey: "k", baseURL: "http://127.0.0.1/v1", fetch });
  const retry = { retries, baseMs: 1, maxMs: 1 };
  const helper = agent({ name: "helper", model: resilient(model, { retry }), instructions: "You help." });
  const reported: Error[] = [];
  const onError = (error: unknown) => reported.push(error as Error);
  const pawl = runtime({ agents: [helper], store: memoryStore(), onError });
  const { stop } = await pawl.run(helper, { userId: "ada", input: "Rain?" }).result;
  return { stop: stop.type, requests, reported };
}

it("L12 B4 asks again after a call that the server could not read", async () => {
  expect(await run(1, 2)).toEqual({ stop: "end_turn", requests: 2, reported: [] });
});

it("L12 B4 asks as often as the retry policy allows, and reports why the answers were broken", async () => {
  const { stop, requests, reported } = await run(9, 2);
  expect([stop, requests]).toEqual(["error", 3]);
  expect(reported).toMatchObject([
    {
      message: MESSAGE,
      details: { retryable: true, errorCode: "tool_use_failed" },
      cause: { message: `400 ${MESSAGE}` },
    },
  ]);
});
