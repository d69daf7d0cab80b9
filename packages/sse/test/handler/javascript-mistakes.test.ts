import { agent, memoryStore, runtime } from "@pawl/core";
import * as sse from "@pawl/sse";
import { asp, coach, metrics, trainer } from "@pawl/sse/dialects";
import { fastifyPlugin } from "@pawl/sse/fastify";
import { nodeListener } from "@pawl/sse/node";
import { scriptedModel } from "@pawl/testing";
import fastify from "fastify";
import { expect, it } from "vitest";
import { said } from "../../../../test/support/mistakes.ts";

// biome-ignore lint/suspicious/noExplicitAny: what plain JavaScript passes has no types
const js = { ...sse, asp, coach, metrics, trainer, fastifyPlugin, nodeListener } as any;
const { aiSdk, handler } = js;
const made = agent({ name: "a", model: scriptedModel([]), instructions: "Help." });
const pawl = runtime({ agents: [made], store: memoryStore() });
const base = { runtime: pawl, agent: "a", authorize: () => ({ userId: "ada" }) };

it("U6 handler() refuses what JavaScript may pass when it is made", async () => {
  expect(
    await said(
      () => handler(),
      () => handler({ agent: made }),
      () => handler({ ...base, authorize: undefined }),
      () => handler({ ...base, authorize: "ada" }),
      () => handler({ ...base, authorize: undefined, authenticate: base.authorize }),
      () => handler({ ...base, runtime: made }),
      () => handler({ ...base, agent: made }),
      () => handler({ ...base, agent: "typo" }),
      () => handler({ ...base, dialect: aiSdk }),
      () => handler({ ...base, dialect: "ai-sdk" }),
      () => handler({ ...base, basePath: "api/a" }),
      () => handler({ ...base, basePath: "https://example.com/api/a" }),
      () => handler({ ...base, basePath: 5 }),
      () => handler({ ...base, path: "/api" }),
      () => handler({ ...base, cors: "*" }),
      () => handler({ ...base, cors: { origin: "*" } }),
      () => handler({ ...base, cors: true }),
      () => handler({ ...base, extra: ["screen"] }),
      () => handler({ ...base, extra: { fields: "screen" } }),
      () => handler({ ...base, expose: "private" }),
      () => handler({ ...base, rateLimit: 20 }),
      () => handler({ ...base, onClientGone: "abort" }),
      () => handler({ ...base, onClientGone: true }),
      () => handler({ ...base, maxStreams: 0, heartbeatMs: Number(undefined) }),
      () => handler({ ...base, maxBodyBytes: "1mb" }),
    ),
  ).toMatchInlineSnapshot(`
    [
      "config: handler() takes an object of options with \`runtime\`, \`agent\` and \`authorize\`; got undefined.",
      "config: handler() needs \`runtime\`, a runtime, made by runtime(). handler() needs \`authorize\`, a function that returns the user of a request.",
      "config: handler() needs \`authorize\`, a function that returns the user of a request.",
      "config: \`authorize\` of handler() must be a function that returns the user of a request; got a string.",
      "config: handler() has no option "authenticate". Use \`authorize\`. handler() needs \`authorize\`, a function that returns the user of a request.",
      "config: \`runtime\` of handler() must be a runtime, made by runtime(); got an object.",
      "accepted",
      "config: The runtime has no agent "typo". It has: a.",
      "config: \`dialect\` of handler() must be a dialect, e.g. aiSdk(); got a function.",
      "config: \`dialect\` of handler() must be a dialect, e.g. aiSdk(); got a string.",
      "config: \`basePath\` of handler() must begin with "/": basePath: "/api/a".",
      "config: \`basePath\` of handler() must begin with "/": basePath: "/api/a".",
      "config: \`basePath\` of handler() must be a string; got a number.",
      "config: handler() has no option "path". Use \`basePath\`.",
      "config: \`cors\` of handler() must be an object; got a string.",
      "config: \`cors\` of handler() has no option "origin". Use \`origins\`, a list. \`cors\` of handler() needs \`origins\`.",
      "config: \`cors\` of handler() must be an object; got a boolean.",
      "config: \`extra\` of handler() must be an object; got a list.",
      "config: \`fields\` of \`extra\` of handler() must be a list; got a string. \`extra\` of handler() needs \`read\`, a function.",
      "config: \`expose\` of handler() must be "public", "all" or e.g. { knowledge: ["goals"] }, the sources whose text clients may read; got a string.",
      "config: \`rateLimit\` of handler() must be a rate limiter with a method \`consume\`; not 20.",
      "config: \`onClientGone\` of handler() must be "continue" or "stop"; got "abort".",
      "config: \`onClientGone\` of handler() must be "continue" or "stop"; got a boolean.",
      "config: \`heartbeatMs\` of handler() must be a number above 0; not NaN. \`maxStreams\` of handler() must be a number above 0; not 0.",
      "config: \`maxBodyBytes\` of handler() must be a number; got a string.",
    ]
  `);
});

it("U6 dialects and servers do so too", async () => {
  expect(
    await said(
      () => aiSdk({ lostText: "hide" }),
      () => aiSdk({ text: "settled" }),
      () => aiSdk("reset"),
      () => js.asp({ text: "late" }),
      () => js.coach({ mode: "live" }),
      () => js.metrics({ plan: 5 }),
      () => js.trainer({ sources: ["goals"] }),
      () => js.nodeListener(),
      () => js.nodeListener(base),
      () => js.nodeListener({ url: "/runs", headers: {} }, {}),
      () => js.fastifyPlugin({ serve: () => undefined }),
      () => js.fastifyPlugin(fastify(), {}),
    ),
  ).toMatchInlineSnapshot(`
    [
      "config: \`lostText\` of aiSdk() must be "mark" or "reset"; got "hide".",
      "config: aiSdk() has no option "text". The options of aiSdk() are lostText, inProgress, replayFailures, errorText.",
      "config: aiSdk() takes an object of options; got a string.",
      "config: \`text\` of asp() must be "live" or "settled"; got "late".",
      "config: coach() has no option "mode". The options of coach() are text.",
      "config: \`plan\` of metrics() must be a string; got a number.",
      "config: \`sources\` of trainer() must be an object; got a list.",
      "config: nodeListener() needs \`serve\`, a function, e.g. handler({ … }).",
      "config: \`serve\` of nodeListener() must be a function, e.g. handler({ … }); got an object.",
      "config: nodeListener() takes a handler, and the server called it instead: mount nodeListener(serve), not nodeListener.",
      "config: \`serve\` of fastifyPlugin() must be a function, e.g. handler({ … }); got an object.",
      "config: fastifyPlugin() takes a handler, and the server called it instead: register fastifyPlugin(serve), not fastifyPlugin.",
    ]
  `);
});

it("U6 a request of Node says which adapter to use", async () => {
  const serve = sse.handler(base as never) as (request: unknown) => Promise<Response>;
  await expect(serve({ url: "/runs", headers: { host: "localhost" } })).rejects.toThrow(
    /nodeListener\(serve\)/,
  );
});

it("U6 answers without a session are refused by core, once", async () => {
  const serve = sse.handler(base as never);
  const body = JSON.stringify({ answers: [{ callId: "c", value: 1 }] });
  const headers = { "content-type": "application/json" };
  const response = await serve(new Request("http://localhost/runs", { method: "POST", headers, body }));
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({
    error: { code: "invalid_input", message: "`answers` and `retry` need a `sessionId`." },
  });
});

it("U6 a body with an unknown field, and an unknown path, say which are known", async () => {
  const serve = sse.handler(base as never);
  const headers = { "content-type": "application/json" };
  const answerTo = async (path: string, body: object) => {
    const request = new Request(`http://localhost${path}`, {
      method: "POST",
      headers,
      body: JSON.stringify(body),
    });
    const { error } = (await (await serve(request)).json()) as { error: { message: string } };
    return error.message;
  };
  expect([
    await answerTo("/runs", { message: "Hi" }),
    await answerTo("/runs", { message: "Hi", prompt: "Hi" }),
    await answerTo("/runs", { input: "Hi", params: { model: "small" } }),
    await answerTo("/runs", { input: "Hi", userId: "eve" }),
    await answerTo("/runs", { sessionId: "s", answers: [{ id: "c", value: true }] }),
    await answerTo("/run", { input: "Hi" }),
  ]).toMatchInlineSnapshot(`
    [
      "The body is not a valid request for a run: message: is not known here; the fields are sessionId, input, answers, retry, clientMessageId, tools",
      "The body is not a valid request for a run: message: is not known here; the fields are sessionId, input, answers, retry, clientMessageId, tools; prompt: is not known here",
      "A client cannot send \`params\`: the server's handler() reads fields of your own with \`extra\`.",
      "A client cannot send \`userId\`: the server's handler() gets it from \`authorize\`.",
      "The body is not a valid request for a run: answers.0.callId: is missing; answers.0.id: is not known here; the fields are callId, value, error, question",
      "No such route: POST /run. This handler serves /runs and /sessions. Check \`basePath\`, or the client's \`url\`.",
    ]
  `);
});
