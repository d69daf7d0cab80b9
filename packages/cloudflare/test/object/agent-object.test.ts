import { agent, runtime, tool } from "@pawl/core";
import { durableObject, sqliteStore } from "@pawl/sqlite";
import { scriptedModel } from "@pawl/testing";
import { expect, it } from "vitest";
import * as z from "zod";
import { agentObject } from "../../src/index.ts";
import { objectContext } from "../support/object-context.ts";

const greeter = agent({
  name: "greeter",
  model: scriptedModel(() => ({ text: "Hi." })),
  instructions: "Go.",
});

const begins = () =>
  new Request("https://objects.example/api/runs", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ input: "Hi" }),
  });

it("E11 the user of an object is its name", async () => {
  const context = objectContext("ada");
  const pawl = agentObject(context, { agents: [greeter], http: { basePath: "/api" } });
  const response = await pawl.fetch(begins());
  expect(await response.text()).toContain("run_ended");
  const [row] = await pawl.runtime.store.sessions.list({ userId: "ada" });
  expect(row?.id).toBe(decodeURIComponent(response.headers.get("x-pawl-session") ?? ""));
});

it("E11 an `authorize` of the application's decides instead", async () => {
  const refuses = agentObject(objectContext(), {
    agents: [greeter],
    http: { basePath: "/api", authorize: () => null },
  });
  expect((await refuses.fetch(begins())).status).toBe(401);
});

it("E11 an object without a name serves nobody, and says how to name it", async () => {
  const errors: unknown[] = [];
  for (const name of [undefined, ""]) {
    const context = { ...objectContext(), id: { name } };
    const pawl = agentObject(context, {
      agents: [greeter],
      http: { basePath: "/api", onError: (error) => errors.push(error) },
    });
    expect((await pawl.fetch(begins())).status).toBe(500);
  }
  const told = expect.objectContaining({
    code: "config",
    message: expect.stringContaining("getByName(userId)"),
  });
  expect(errors).toEqual([told, told]);
});

it("E2 the alarm is set before the model is asked", async () => {
  const context = objectContext();
  let alarms: number | undefined;
  const model = scriptedModel(() => {
    alarms ??= context.alarms.length;
    return { text: "Hi." };
  });
  const one = agent({ name: "one", model, instructions: "Go." });
  const pawl = agentObject(context, { agents: [one] });
  await pawl.runtime.run("one", { userId: "ada", input: "Hi" }).result;
  expect(alarms).toBe(1);
  expect(Math.abs((context.alarms[0] ?? 0) - Date.now() - 10_000)).toBeLessThan(2_000);
});

it("E2 the alarm continues a run that another instance of the object has left in the middle", async () => {
  const context = objectContext();
  const gone = runtime({
    agents: [
      agent({
        name: "greeter",
        model: scriptedModel(() => new Promise(() => undefined)),
        instructions: "Go.",
      }),
    ],
    store: sqliteStore(durableObject(context.storage)),
    times: { leaseTtlMs: 1, abortGraceMs: 0 },
  });
  const { sessionId } = await gone.run("greeter", { userId: "ada", input: "Hi" }).started;
  await gone.drain({ timeoutMs: 0 });

  const pawl = agentObject(context, { agents: [greeter] });
  await pawl.alarm();
  const types: string[] = [];
  for await (const { type } of pawl.runtime.follow(sessionId, { untilIdle: true })) types.push(type);
  expect(types.at(-1)).toBe("run_ended");
});

it("F26 a call that waits sets the alarm to its time", async () => {
  const context = objectContext();
  const later = tool({
    name: "later",
    description: "Waits.",
    input: z.object({}),
    execute: (_input, { wait }) => wait({ afterMs: 3_000, state: 1 }),
  });
  const model = scriptedModel([{ tools: [{ name: "later" }] }]);
  const waiter = agent({ name: "waiter", model, instructions: "Go.", tools: [later] });
  const pawl = agentObject(context, { agents: [waiter] });
  const { sessionId } = await pawl.runtime.run("waiter", { userId: "ada", input: "Hi" }).started;
  for await (const { type } of pawl.runtime.follow(sessionId)) if (type === "run_suspended") break;
  const row = await pawl.runtime.store.sessions.get(sessionId);
  await expect.poll(() => context.alarms.at(-1)).toBe(Date.parse(row?.wakeAt ?? ""));
  await pawl.runtime.drain();
});

const two = [greeter, agent({ name: "other", model: scriptedModel([]), instructions: "Go." })];

it("serves the agent that `http` names, if there are several", async () => {
  const pawl = agentObject(objectContext(), { agents: two, http: { agent: "greeter", basePath: "/api" } });
  expect(await (await pawl.fetch(begins())).text()).toContain("run_ended");
});

it.each([
  ["several agents and none to serve", () => agentObject(objectContext(), { agents: two }), /`agent`/],
  ["no context", () => agentObject({} as never, { agents: [greeter] }), /`this\.ctx`/],
  ["no agents", () => agentObject(objectContext(), {} as never), /`agents`/],
  ["no options", () => agentObject(objectContext(), undefined as never), /`agents`/],
  [
    "a store",
    () => agentObject(objectContext(), { agents: [greeter], store: {} } as never),
    /its own `store` and `waitUntil`/,
  ],
  [
    "an unknown option",
    () => agentObject(objectContext(), { agents: [greeter], basePath: "/api" } as never),
    /no option "basePath"/,
  ],
  [
    "an unknown option of the handler",
    () => agentObject(objectContext(), { agents: [greeter], http: { base: "/api" } } as never),
    /no option "base"/,
  ],
])("refuses %s", (_name, make, message) => {
  expect(make).toThrow(expect.objectContaining({ code: "config", message: expect.stringMatching(message) }));
});
