import { claude, pricingOf } from "@pawl/anthropic";
import { agent } from "@pawl/core";
import { messagesApi } from "@pawl/testing";
import { afterAll, beforeEach, describe, expect, it, vi } from "vitest";
import { firstRun, refused } from "../../../test/support/set-up.ts";

const api = await messagesApi({ rules: () => ({ text: "Hello." }), apiKeys: ["right-key"] });
afterAll(() => api.close());
beforeEach(() => {
  vi.stubEnv("ANTHROPIC_API_KEY", "");
  vi.stubEnv("ANTHROPIC_BASE_URL", undefined);
  return () => vi.unstubAllEnvs();
});

describe("U5 a set-up that is wrong says what to mend", () => {
  it("U5 a missing key", async () => {
    expect(await firstRun(claude("claude-sonnet-5-5", { baseURL: api.url }))).toMatchInlineSnapshot(`
      {
        "cause": "ANTHROPIC_API_KEY is not set. Set this environment variable, or pass \`apiKey\` to claude().",
        "message": "Something is set up wrong on our side. Please contact support.",
        "type": "error",
      }
    `);
  });

  it("U5 a wrong key", async () => {
    const { message, cause } = await firstRun(
      claude("claude-sonnet-5-5", { baseURL: api.url, apiKey: "wrong-secret-key" }),
    );
    expect(message).toBe("Something is set up wrong on our side. Please contact support.");
    expect(cause).toMatch(/Check ANTHROPIC_API_KEY, or `apiKey` of claude\(\)\.$/);
    expect(cause).not.toContain("wrong-secret-key");
  });

  it("U5 an unknown model, or a URL with a wrong path", async () => {
    const { cause } = await firstRun(
      claude("no-such-model", { baseURL: `${api.url}/nowhere`, apiKey: "right-key" }),
    );
    expect(cause?.replaceAll(`${api.port}`, "PORT")).toMatchInlineSnapshot(
      `"Not Found. Check the model's id, "no-such-model", and the URL (127.0.0.1:PORT): ANTHROPIC_BASE_URL, or \`baseURL\` of claude()."`,
    );
  });

  it("U5 a URL where nothing listens, with a password in it", async () => {
    vi.stubEnv("ANTHROPIC_BASE_URL", "http://ada:secret-word@127.0.0.1:1");
    const { message, cause } = await firstRun(claude("claude-sonnet-5-5", { apiKey: "right-key" }));
    expect({ message, cause }).toMatchInlineSnapshot(`
      {
        "cause": "Connection error. No connection to 127.0.0.1:1. Check ANTHROPIC_BASE_URL, or \`baseURL\` of claude().",
        "message": "The model could not be reached. Please try again.",
      }
    `);
    expect(cause).not.toContain("secret-word");
  });

  it("U5 a URL without its protocol", async () => {
    const { cause } = await firstRun(
      claude("claude-sonnet-5-5", { baseURL: "localhost:8080", apiKey: "right-key" }),
    );
    expect(cause).toMatch(/it must begin with https:\/\/ or http:\/\/\.$/);
  });

  it("U5 a URL that is no URL", async () => {
    const stop = await firstRun(claude("claude-sonnet-5-5", { baseURL: "localhost", apiKey: "right-key" }));
    expect(stop).toMatchInlineSnapshot(`
      {
        "cause": "Invalid URL. Check ANTHROPIC_BASE_URL, or \`baseURL\` of claude(): it must begin with https:// or http://.",
        "message": "Something is set up wrong on our side. Please contact support.",
        "type": "error",
      }
    `);
  });
});

it("U6 claude() refuses what JavaScript may pass, by name and without its value", () => {
  const messages = [
    refused((f) => f(), claude),
    refused((f) => f({ model: "claude-sonnet-5-5" }), claude),
    refused((f) => f("claude-sonnet-5-5", "sk-secret"), claude),
    refused((f) => f("claude-sonnet-5-5", { apikey: "sk-secret" }), claude),
    refused((f) => f("claude-sonnet-5-5", { apiKey: 7, baseUrl: "x" }), claude),
    refused((f) => f("claude-sonnet-5-5", { temperature: 0, maxTokens: 5 }), claude),
    refused((f) => f("claude-sonnet-5-5", { client: {} }), claude),
    refused((f) => f("claude-sonnet-5-5", { pricing: { input: 1, output: 2 } }), claude),
    refused((f) => f("claude-sonnet-5-5", { body: { max_tokens: 9, messages: ["sk-secret"] } }), claude),
    refused((f) => f(undefined), pricingOf),
  ];
  expect(messages).toMatchInlineSnapshot(`
    [
      "PawlError: claude() needs \`model\`, the id of a model, e.g. "claude-sonnet-5-5".",
      "PawlError: \`model\` of claude() must be the id of a model, e.g. "claude-sonnet-5-5"; got an object.",
      "PawlError: claude() takes an object of options; got a string.",
      "PawlError: claude() has no option "apikey". Use \`apiKey\`.",
      "PawlError: claude() has no option "baseUrl". Use \`baseURL\`. \`apiKey\` of claude() must be a string; got a number.",
      "PawlError: claude() has no option "temperature". Leave it out: the Messages API has no sampling parameters. claude() has no option "maxTokens". It is an option of agent().",
      "PawlError: \`client\` of claude() must be a client of @anthropic-ai/sdk; got an object.",
      "PawlError: pricing of claude("claude-sonnet-5-5") needs \`cacheRead\`, \`cacheWrite5m\` and \`cacheWrite1h\` too, in US dollars per million tokens.",
      "PawlError: \`body\` of claude() must be an object without model, messages, system, max_tokens, tools, tool_choice, stream, which Pawl sets; got an object.",
      "PawlError: pricingOf() needs \`model\`, a string.",
    ]
  `);
  expect(messages.join()).not.toContain("sk-secret");
});

it("O1 pricingOf() an unknown model is undefined, so a cost limit names the model", () => {
  expect(pricingOf("no-such-model")).toBeUndefined();
  const model = claude("no-such-model");
  expect(() => agent({ name: "a", model, instructions: "Help.", limits: { costUsd: 1 } })).toThrow(
    "costUsd is limited, but no-such-model has no prices.",
  );
});
