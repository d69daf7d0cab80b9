import { agent } from "@pawl/core";
import { openai, pricingOf } from "@pawl/openai";
import { openaiApi } from "@pawl/testing";
import { afterAll, beforeEach, describe, expect, it, vi } from "vitest";
import { firstRun, refused } from "../../../test/support/set-up.ts";

const api = await openaiApi({ rules: () => ({ text: "Hello." }), apiKeys: ["right-key"] });
afterAll(() => api.close());
beforeEach(() => {
  vi.stubEnv("OPENAI_API_KEY", "");
  vi.stubEnv("OPENAI_BASE_URL", undefined);
  return () => vi.unstubAllEnvs();
});

describe("U5 a set-up that is wrong says what to mend", () => {
  it("U5 a missing key", async () => {
    expect(await firstRun(openai("gpt-5.4-mini", { baseURL: api.url }))).toMatchInlineSnapshot(`
      {
        "cause": "OPENAI_API_KEY is not set. Set this environment variable, or pass \`apiKey\` to openai(). For a server without keys, pass any text.",
        "message": "Something is set up wrong on our side. Please contact support.",
        "type": "error",
      }
    `);
  });

  it("U5 a wrong key", async () => {
    const { message, cause } = await firstRun(
      openai("gpt-5.4-mini", { baseURL: api.url, apiKey: "wrong-secret-key" }),
    );
    expect(message).toBe("Something is set up wrong on our side. Please contact support.");
    expect(cause).toMatch(/Check OPENAI_API_KEY, or `apiKey` of openai\(\)\.$/);
    expect(cause).not.toContain("wrong-secret-key");
  });

  it("U5 an unknown model, or a URL with a wrong path", async () => {
    const { cause } = await firstRun(
      openai("no-such-model", { baseURL: `${api.url}/nowhere`, apiKey: "right-key" }),
    );
    expect(cause?.replaceAll(`${api.port}`, "PORT")).toMatchInlineSnapshot(
      `"Not Found. Check the model's id, "no-such-model", and the URL (127.0.0.1:PORT): OPENAI_BASE_URL, or \`baseURL\` of openai()."`,
    );
  });

  it("U5 a URL where nothing listens, with a password in it", async () => {
    vi.stubEnv("OPENAI_BASE_URL", "http://ada:secret-word@127.0.0.1:1");
    const { message, cause } = await firstRun(openai("gpt-5.4-mini", { apiKey: "right-key" }));
    expect({ message, cause }).toMatchInlineSnapshot(`
      {
        "cause": "Connection error. No connection to 127.0.0.1:1. Check OPENAI_BASE_URL, or \`baseURL\` of openai().",
        "message": "The model could not be reached. Please try again.",
      }
    `);
    expect(cause).not.toContain("secret-word");
  });

  it("U5 a URL without its protocol", async () => {
    const { cause } = await firstRun(
      openai("gpt-5.4-mini", { baseURL: "localhost:8080", apiKey: "right-key" }),
    );
    expect(cause).toMatch(/it must begin with https:\/\/ or http:\/\/\.$/);
  });

  it("U5 a URL that is no URL", async () => {
    const stop = await firstRun(openai("gpt-5.4-mini", { baseURL: "localhost", apiKey: "right-key" }));
    expect(stop).toMatchInlineSnapshot(`
      {
        "cause": "Invalid URL. Check OPENAI_BASE_URL, or \`baseURL\` of openai(): it must begin with https:// or http://.",
        "message": "Something is set up wrong on our side. Please contact support.",
        "type": "error",
      }
    `);
  });
});

it("U6 openai() refuses what JavaScript may pass, by name and without its value", () => {
  const messages = [
    refused((f) => f(), openai),
    refused((f) => f({ model: "gpt-5.4-mini" }), openai),
    refused((f) => f("gpt-5.4-mini", "sk-secret"), openai),
    refused((f) => f("gpt-5.4-mini", { apikey: "sk-secret" }), openai),
    refused((f) => f("gpt-5.4-mini", { apiKey: 7, baseUrl: "x" }), openai),
    refused((f) => f("gpt-5.4-mini", { temperature: 0, maxTokens: 5 }), openai),
    refused((f) => f("gpt-5.4-mini", { client: {} }), openai),
    refused((f) => f("gpt-5.4-mini", { pricing: { input: 1, output: 2 } }), openai),
    refused((f) => f("gpt-5.4-mini", { body: { max_tokens: 9, messages: ["sk-secret"] } }), openai),
    refused((f) => f(undefined), pricingOf),
  ];
  expect(messages).toMatchInlineSnapshot(`
    [
      "PawlError: openai() needs \`model\`, the id of a model, e.g. "gpt-5.4-mini".",
      "PawlError: \`model\` of openai() must be the id of a model, e.g. "gpt-5.4-mini"; got an object.",
      "PawlError: openai() takes an object of options; got a string.",
      "PawlError: openai() has no option "apikey". Use \`apiKey\`.",
      "PawlError: openai() has no option "baseUrl". Use \`baseURL\`. \`apiKey\` of openai() must be a string; got a number.",
      "PawlError: openai() has no option "temperature". Use \`body: { temperature }\`. openai() has no option "maxTokens". It is an option of agent().",
      "PawlError: \`client\` of openai() must be a client of the package openai; got an object.",
      "PawlError: pricing of openai("gpt-5.4-mini") needs \`cacheRead\`, \`cacheWrite5m\` and \`cacheWrite1h\` too, in US dollars per million tokens.",
      "PawlError: \`body\` of openai() must be an object without model, messages, stream, max_tokens, max_completion_tokens, tools, tool_choice, functions, function_call, n, which Pawl sets; got an object.",
      "PawlError: pricingOf() needs \`model\`, a string.",
    ]
  `);
  expect(messages.join()).not.toContain("sk-secret");
});

it("O1 pricingOf() an unknown model is undefined, so a cost limit names the model", () => {
  expect(pricingOf("no-such-model")).toBeUndefined();
  const model = openai("no-such-model");
  expect(() => agent({ name: "a", model, instructions: "Help.", limits: { costUsd: 1 } })).toThrow(
    "costUsd is limited, but no-such-model has no prices.",
  );
});
