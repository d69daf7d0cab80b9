import { agent, agentTool, tool } from "@pawl/core";
import { remoteTools as typedTools } from "@pawl/remote";
import { toolHandler as typedHandler } from "@pawl/remote/server";
import { scriptedModel } from "@pawl/testing";
import { expect, it } from "vitest";
import * as z from "zod";
import { said } from "../../../test/support/mistakes.ts";

// biome-ignore lint/suspicious/noExplicitAny: what plain JavaScript passes has no types
const [remoteTools, toolHandler] = [typedTools as any, typedHandler as any];
const url = "https://api.example.com";
const authorize = () => ({ userId: "ada" });
const input = z.object({});
const look = tool({ name: "look", description: "", input, execute: () => 1 });
const poet = agentTool({
  agent: agent({ name: "poet", model: scriptedModel([]), instructions: "You write." }),
  description: "Writes.",
});
const ask = tool({ name: "ask", description: "", input, suspends: { answer: z.string() } });

it("U6 what JavaScript may pass to remoteTools() is refused, and no secret is repeated", async () => {
  const messages = await said(
    () => remoteTools(),
    () => remoteTools(url),
    () => remoteTools({ baseUrl: url }),
    () => remoteTools({ url: "api.example.com" }),
    () => remoteTools({ url: "https://user:hunter2@api.example.com" }),
    () => remoteTools({ url, token: true }),
    () => remoteTools({ url, headers: { authorization: 1 } }),
    () => remoteTools({ url, prefix: "a b" }),
    () => remoteTools({ url, include: ["a", 1] }),
    () => remoteTools({ url, timeoutMs: 0, retries: 100, cacheMs: Number.NaN }),
  );
  expect(messages.join()).not.toContain("hunter2");
  expect(messages).toMatchInlineSnapshot(`
    [
      "config: remoteTools() takes an object of options with \`url\`; got undefined.",
      "config: remoteTools() takes an object of options with \`url\`; got a string.",
      "config: remoteTools() has no option "baseUrl". Use \`url\`. remoteTools() needs \`url\`, a string.",
      "config: \`url\` of remoteTools() must be an address that begins with https:// or http://.",
      "config: \`url\` of remoteTools() must have no user and password. Use \`headers: { authorization: … }\` and \`token: false\`.",
      "config: \`token\` of remoteTools() must be a text, a function that returns one, or false; got a boolean.",
      "config: \`headers\` of remoteTools() must be an object of texts, or a function that returns one; got an object.",
      "config: \`prefix\` of remoteTools() must be up to 32 letters, digits, _ or -; got a string.",
      "config: \`include\` of remoteTools() must be a list of the tools' names; got a list.",
      "config: \`timeoutMs\` of remoteTools() must be a number from 1 to 2147483647; not 0. \`retries\` of remoteTools() must be a number from 0 to 10; not 100. \`cacheMs\` of remoteTools() must be a number from 0; not NaN.",
    ]
  `);
});

it("U6 what JavaScript may pass to toolHandler() is refused", async () => {
  expect(
    await said(
      () => toolHandler(),
      () => toolHandler({ tools: [look], authenticate: authorize }),
      () => toolHandler({ tools: look, authorize }),
      () => toolHandler({ tools: [{ name: "x" }], authorize }),
      () => toolHandler({ tools: [ask], authorize }),
      () => toolHandler({ tools: [poet], authorize }),
      () => toolHandler({ tools: [look, look], authorize }),
      () => toolHandler({ tools: [look], authorize, basePath: "api" }),
      () => toolHandler({ tools: [look], authorize, basePath: "/api/" }),
      () => toolHandler({ tools: [look], authorize, timeoutMs: 0, maxBodyBytes: "1" }),
      () => toolHandler({ tools: [look], authorize })({ url: "/" }),
    ),
  ).toMatchInlineSnapshot(`
    [
      "config: toolHandler() takes an object of options with \`tools\` and \`authorize\`; got undefined.",
      "config: toolHandler() has no option "authenticate". Use \`authorize\`. toolHandler() needs \`authorize\`, a function that returns the user of a request.",
      "config: \`tools\` of toolHandler() must be a list of tools, or a function that returns one; got an object.",
      "config: toolHandler() cannot serve these tools: tools must be made by tool() of @pawl/core.",
      "config: toolHandler() cannot serve these tools: the tool "ask" asks the user, which needs a session. Ask where the agent runs.",
      "config: toolHandler() cannot serve these tools: an agent does the work of the tool "poet", which needs a session.",
      "config: toolHandler() cannot serve these tools: two tools are named "look".",
      "config: \`basePath\` of toolHandler() must be a path that begins with "/" and does not end with it, e.g. "/api/v1/coach"; got a string.",
      "config: \`basePath\` of toolHandler() must be a path that begins with "/" and does not end with it, e.g. "/api/v1/coach"; got a string.",
      "config: \`timeoutMs\` of toolHandler() must be a number above 0 and up to 2147483647; not 0. \`maxBodyBytes\` of toolHandler() must be a number above 0; got a string.",
      "config: toolHandler() takes web requests. In Node or Express, wrap it, e.g. with nodeListener(serve) of @pawl/sse/node.",
    ]
  `);
});
