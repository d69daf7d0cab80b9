import { createAgentClient, until } from "@pawl/client";
import { createAspClient } from "@pawl/client/asp";
import { expect, it } from "vitest";
import { said } from "../../../test/support/mistakes.ts";

// biome-ignore lint/suspicious/noExplicitAny: what plain JavaScript passes has no types
const create = createAgentClient as any;

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
      () => create({ url: "/api", pageSize: 500 }),
      () => create({ url: "/api", pageSize: 0 }),
      () => create({ url: "/api", pageSize: 1.5 }),
      () => create({ url: "/api", pageSize: Number.NaN }),
      () => create({ url: "/api", pageSize: "50" }),
      () => create({ url: "/api", pageSize: 200 }).close(),
      () => create({ url: "/api", headers: undefined }).close(),
    ),
  ).toMatchInlineSnapshot(`
    [
      "config: createAgentClient() takes an object of options, e.g. { url: "/api/coach" }.",
      "config: createAgentClient() takes an object of options, e.g. { url: "/api/coach" }.",
      "config: createAgentClient() has no option "api"; it has url, fetch, headers, sessionId, onSession, onEvent, silenceMs, newId, tools, pageSize.",
      "config: \`url\` of createAgentClient() must be of type string; got object.",
      "config: \`headers\` of createAgentClient() must be of type object or function; got string.",
      "config: createAgentClient() has no option "onMessage"; it has url, fetch, headers, sessionId, onSession, onEvent, silenceMs, newId, tools, pageSize.",
      "config: \`sessionId\` of createAgentClient() must be of type string; got number. \`silenceMs\` of createAgentClient() must be of type number; got string.",
      "config: \`pageSize\` of createAgentClient() must be a whole number from 1 to 200; got 500.",
      "config: \`pageSize\` of createAgentClient() must be a whole number from 1 to 200; got 0.",
      "config: \`pageSize\` of createAgentClient() must be a whole number from 1 to 200; got 1.5.",
      "config: \`pageSize\` of createAgentClient() must be a whole number from 1 to 200; got NaN.",
      "config: \`pageSize\` of createAgentClient() must be of type number; got string.",
      "accepted",
      "accepted",
    ]
  `);
});

it("U6 createAspClient() and its methods refuse what JavaScript may pass", async () => {
  // biome-ignore lint/suspicious/noExplicitAny: what plain JavaScript passes has no types
  const make = createAspClient as any;
  const client = make({ url: "http://localhost/api", fetch: () => Promise.reject(new Error("offline")) });
  const click = { type: "click", preventDefault: () => undefined };
  expect(
    await said(
      () => make("/api/coach"),
      () => make({ url: "" }),
      () => make({ url: "/api", onMessage: () => undefined }),
      () => client.send(click),
      () => client.answer("c1", click),
      () => client.answer(1, true),
      () => client.fail("c1", new Error("No camera.")),
      () => client.open(5),
      () => client.subscribe(),
    ),
  ).toMatchInlineSnapshot(`
    [
      "config: createAspClient() takes an object of options, e.g. { url: "/api/coach" }.",
      "config: \`url\` must be the path or URL where the agent is served, e.g. "/api/coach"; got "".",
      "config: createAspClient() has no option "onMessage"; it has url, fetch, headers, sessionId, onSession, onEvent, silenceMs, newId.",
      "config: The message for send() is an event. Write onClick={() => send(…)}, not onClick={send}.",
      "config: The value for answer() is an event. Write onClick={() => answer(…)}, not onClick={answer}.",
      "config: The call's id for answer() and fail() must be a string; got number.",
      "config: The error for fail() must be a string; got object.",
      "config: The session's id for open() must be a string; got number.",
      "config: The listener of subscribe() must be a function; got undefined.",
    ]
  `);
});

it("U6 the methods of a client, and until(), refuse what JavaScript may pass", async () => {
  const client = create({ url: "http://localhost/api", fetch: () => Promise.reject(new Error("offline")) });
  // What `onClick={send}` passes.
  const click = { type: "click", preventDefault: () => undefined };
  // biome-ignore lint/suspicious/noExplicitAny: what plain JavaScript passes has no types
  const wait = until as any;
  expect(
    await said(
      () => client.send(),
      () => client.send({ text: "Hi" }),
      () => client.send(click),
      () => client.send("Hi", { file: new Blob(["x"]) }),
      () => client.send("Hi", [new Blob(["x"])]),
      () => client.answer(),
      () => client.answer(click),
      () => client.answer("c1", click),
      () => client.fail("c1", click),
      () => client.fail("c1"),
      () => client.open(click),
      () => client.fail({ callId: "c1" }, "No."),
      () => client.open(5),
      () => client.subscribe(),
      () => wait(),
      () => wait(client),
    ),
  ).toMatchInlineSnapshot(`
    [
      "config: The message for send() must be a string; got undefined.",
      "config: The message for send() must be a string; got object.",
      "config: The message for send() is an event. Write onClick={() => send(…)}, not onClick={send}.",
      "config: send() has no option "file"; it has files, extra, onProgress, signal.",
      "config: send() has no option "0"; it has files, extra, onProgress, signal.",
      "config: The call's id for answer() and fail() must be a string; got undefined.",
      "config: The call's id for answer() and fail() is an event. Write onClick={() => answer(…)}, not onClick={answer}.",
      "config: The value for answer() is an event. Write onClick={() => answer(…)}, not onClick={answer}.",
      "config: The error for fail() is an event. Write onClick={() => fail(…)}, not onClick={fail}.",
      "config: The error for fail() must be a string; got undefined.",
      "config: The session's id for open() is an event. Write onClick={() => open(…)}, not onClick={open}.",
      "config: The call's id for answer() and fail() must be a string; got object.",
      "config: The session's id for open() must be a string; got number.",
      "config: The listener of subscribe() must be a function; got undefined.",
      "config: \`subscribe\` of the client for until() must be a function; got undefined.",
      "config: The condition of until() must be a function; got undefined.",
    ]
  `);
  client.close();
});
