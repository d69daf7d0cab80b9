import { strictModel } from "@pawl/testing";
import { expect, it } from "vitest";
import { agent, agentTool, memoryStore, PawlError, runtime } from "../../src/index.ts";
import { family, sessionId, task } from "../support/family.ts";
import { never, setup, until, user } from "../support/setup.ts";
import { ask } from "../support/tools.ts";

const lacks = 'The runtime has no agent "travel". It has: tester.';
const question = [{ tools: [{ name: "ask", id: "toolu_q" }] }];

/** A session of an agent that was called "travel", and the runtime of the next release. */
async function renamed() {
  const store = memoryStore();
  const old = agent({ ...oldOptions(), model: strictModel({ script: question }) });
  const pawl = runtime({ agents: [old], store });
  const asked = await pawl.run("travel", { ...user, input: "Book it." }).result;
  await pawl.drain();
  return { store, asked, next: setup([{ text: "Done." }], { tools: [ask] }, { store }) };
}

const oldOptions = () => ({ name: "travel", instructions: "You book.", tools: [ask] });

it("F25 E11 names the agent of the user's own session that the runtime lacks, and to nobody else", async () => {
  const { asked, next } = await renamed();
  const answers = [{ callId: "toolu_q", value: "yes" }];
  for (const options of [{ input: "Hi" }, { answers }, { retry: asked.runId }]) {
    const run = (userId: string) =>
      next.pawl.run("tester", { userId, sessionId: asked.sessionId, ...options }).result;
    await expect(run("u1")).rejects.toMatchObject({ code: "not_found", message: lacks });
    await expect(run("eve")).rejects.toMatchObject({ message: "There is no such session." });
  }
  expect(next.model.requests).toEqual([]);
});

it("E11 names another agent of the user's own session, and none for the session of a sub-agent", async () => {
  const world = family([{ tools: task("toolu_a") }, { text: "Done." }], [{ text: "Found." }]);
  await world.say();
  await world.base.sessions.create({ id: "other", userId: "u1", agent: "other" });
  const other = agent({ name: "other", instructions: "Another.", model: world.callee });
  const pawl = runtime({ agents: [world.host, other], store: world.base });
  const refusal = async (id: string, userId: string) => {
    const { result } = pawl.run("host", { userId, sessionId: id, input: "Hi" });
    return await result.catch(({ code, message }) => ({ code, message }));
  };
  const none = { code: "not_found", message: "There is no such session." };
  expect(await refusal("other", "u1")).toEqual({
    code: "not_found",
    message: 'This session belongs to the agent "other", not to "host".',
  });
  expect(await refusal("other", "eve")).toEqual(none);
  expect(await refusal(`${sessionId}:toolu_a`, "u1")).toEqual(none);
});

it("F25 a sweep reports once that nobody has the agent of an open run", async () => {
  let now = 0;
  const store = memoryStore({ now: () => now });
  const stalls = {
    id: "stalls",
    stream: async function* () {
      yield await never();
    },
  };
  const child = agent({ name: "child", instructions: "Help.", model: stalls });
  const model = strictModel({ rules: () => ({ tools: [{ name: "child", input: { task: "Go" } }] }) });
  const tools = [agentTool({ agent: child, description: "Helps." })];
  const old = runtime({ agents: [agent({ name: "travel", instructions: "Book.", model, tools })], store });
  const runs = [1, 2].map((n) => old.run("travel", { ...user, input: `Book ${n}.` }));
  for (const run of runs) {
    const { sessionId } = await run.started;
    await until(async () =>
      (await Array.fromAsync(store.read(sessionId))).some(({ type }) => type === "tool_started"),
    );
  }
  now += 60_000;
  const reported: unknown[] = [];
  const next = setup([{ text: "Done." }], {}, { store, onError: (error) => reported.push(error) });
  expect(await next.pawl.sweep()).toBe(0);
  expect(await next.pawl.sweep()).toBe(0);
  expect(reported).toEqual([expect.objectContaining({ code: "not_found" })]);
  expect(PawlError.is(reported[0]) && reported[0].message).toBe(
    `${lacks} A run of this agent is open, and no process is working on it. If no other runtime has the agent, add it under this name.`,
  );
});

it("F25 P1 an agent that is made again under its former name continues what that name has begun", async () => {
  const { store, asked } = await renamed();
  const model = strictModel({ script: [{ text: "Booked." }, { text: "Hello." }] });
  const same = { ...oldOptions(), model };
  const journeys = agent({ ...same, name: "journeys" });
  const travel = agent(same);
  const reported: unknown[] = [];
  const pawl = runtime({ agents: [journeys, travel], store, onError: (error) => reported.push(error) });
  await pawl.sweep();
  const answers = [{ callId: "toolu_q", value: "yes" }];
  const { sessionId } = asked;
  expect((await pawl.run(travel, { ...user, sessionId, answers }).result).text).toBe("Booked.");
  expect((await pawl.run(journeys, { ...user, input: "Hi" }).result).text).toBe("Hello.");
  expect(model.rejected).toEqual([]);
  expect(reported).toEqual([]);
});
