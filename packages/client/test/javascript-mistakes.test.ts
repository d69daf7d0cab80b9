import { createAgentClient } from "@pawl/client";
import { PawlError } from "@pawl/core";
import { expect, it } from "vitest";

// biome-ignore lint/suspicious/noExplicitAny: what plain JavaScript passes has no types
const create = createAgentClient as any;

/** Returns the messages of the errors that these calls throw or reject with. */
async function said(...calls: (() => unknown)[]): Promise<string[]> {
  const messages: string[] = [];
  for (const call of calls) {
    try {
      await call();
      messages.push("accepted");
    } catch (error) {
      messages.push(
        PawlError.is(error) ? `${error.code}: ${error.message}` : `NOT A PAWL ERROR: ${String(error)}`,
      );
    }
  }
  return messages;
}

it("U6 createAgentClient() refuses what JavaScript may pass", async () => {
  expect(
    await said(
      () => create(),
      () => create("/api/coach"),
      () => create({ api: "/api/coach" }),
      () => create({ url: new URL("http://localhost/api") }),
      () => create({ url: "/api", headers: "Bearer secret" }),
      () => create({ url: "/api", onMessage: () => undefined }),
      () => create({ url: "/api", sessionId: 5, silenceMs: "1000" }),
      () => create({ url: "/api", headers: undefined }).close(),
    ),
  ).toMatchInlineSnapshot(`
    [
      "config: createAgentClient() takes an object of options, e.g. { url: "/api/coach" }.",
      "config: createAgentClient() takes an object of options, e.g. { url: "/api/coach" }.",
      "config: createAgentClient() has no option "api"; it has url, fetch, headers, sessionId, onEvent, silenceMs, newId.",
      "config: \`url\` of createAgentClient() must be of type string.",
      "config: \`headers\` of createAgentClient() must be of type object or function.",
      "config: createAgentClient() has no option "onMessage"; it has url, fetch, headers, sessionId, onEvent, silenceMs, newId.",
      "config: \`sessionId\` of createAgentClient() must be of type string. \`silenceMs\` of createAgentClient() must be of type number.",
      "accepted",
    ]
  `);
});
