import { agent, agentTool } from "@pawl/core";
import { scriptedModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { expectPrinted } from "../../../../../test/support/printed.ts";
import { agUi } from "../../../src/index.ts";
import { type AgEvent, connect, errorOf, httpAgent, Reading, run, say, talk } from "../../support/agents.ts";
import { eventually } from "../../support/chat.ts";
import { handModel } from "../../support/hand-model.ts";
import { confirm, quiet, type Served, serve } from "../../support/served.ts";

type Model = Parameters<typeof agent>[0]["model"];

const task = { tools: [{ id: "c1", name: "researcher", input: { task: "Look" } }] };
const about = (events: readonly AgEvent[]) => events.filter(({ type }) => type.startsWith("SUBAGENT_"));
const started = {
  type: "SUBAGENT_STARTED",
  subagentRunId: "task-c1",
  name: "researcher",
  parentToolCallId: "c1",
};
const finished = { type: "SUBAGENT_FINISHED", subagentRunId: "task-c1", result: "It was wood." };

/** Serves an agent that gives one task, and then says so. */
async function serveTask(
  model: Model,
  hosts: Parameters<typeof scriptedModel>[0] = [task, { text: "Wood." }],
) {
  const researcher = agent({ name: "researcher", model, instructions: "Look things up.", tools: [confirm] });
  const tools = [agentTool({ agent: researcher, description: "Looks things up." })];
  return await serve(scriptedModel(hosts), { dialect: agUi(), tools });
}

const types = (events: readonly AgEvent[]) => events.map(({ type }) => type);

describe.each(["0.0.59", "1.0"] as const)(
  "HttpAgent of AG-UI %s, of an agent with a sub-agent",
  (version) => {
    it("W2 is told when it starts, and what it returns", async () => {
      const served = await serveTask(scriptedModel([{ text: "It was wood." }]));
      const page = httpAgent(version, served);
      const events = await say(page, "What?");
      expect(errorOf(events)).toBeUndefined();
      expect(about(events)).toEqual([started, finished]);
      const order = types(events);
      expect(order.indexOf("SUBAGENT_STARTED")).toBeGreaterThan(order.indexOf("TOOL_CALL_END"));
      expect(order.indexOf("SUBAGENT_FINISHED")).toBeGreaterThan(order.indexOf("TOOL_CALL_RESULT"));
      expect(talk(page).at(-1)).toBe("assistant Wood.");
    });

    it("W2 is told of each of several, by its own call", async () => {
      const input = { task: "Look" };
      const tools = ["c1", "c2"].map((id) => ({ id, name: "researcher", input }));
      const served = await serveTask(
        scriptedModel(() => ({ text: "It was wood." })),
        [{ tools }, { text: "Wood." }],
      );
      const told = about(await say(httpAgent(version, served), "What?"));
      expect(
        told.filter(({ type }) => type === "SUBAGENT_STARTED").map((one) => one.parentToolCallId),
      ).toEqual(["c1", "c2"]);
      expect(
        told
          .filter(({ type }) => type === "SUBAGENT_FINISHED")
          .map((one) => one.subagentRunId)
          .toSorted(),
      ).toEqual(["task-c1", "task-c2"]);
    });

    it("W2 W5 is told that it failed, in words for users", async () => {
      expectPrinted(/out of replies/);
      const served = await serveTask(scriptedModel([]));
      const events = await say(httpAgent(version, served), "What?");
      const [, failed] = about(events);
      expect(failed).toEqual({
        type: "SUBAGENT_ERROR",
        subagentRunId: "task-c1",
        message: "This did not work.",
      });
      expect(types(events).at(-1)).toBe("RUN_FINISHED");
    });

    it("W2 P1 is shown as suspended while it asks the user, and as resumed after the answer", async () => {
      const asks = { tools: [{ id: "q", name: "confirm", input: { question: "Look there?" } }] };
      const served = await serveTask(scriptedModel([asks, { text: "It was wood." }]));
      const page = httpAgent(version, served);
      const events = await say(page, "What?");
      const [question] = page.pendingInterrupts;
      const outcome = { type: "suspended", interruptIds: [question?.id] };
      const suspended = { type: "SUBAGENT_FINISHED", subagentRunId: "task-c1", outcome };
      expect(about(events)).toEqual([started, suspended]);
      expect(question).toMatchObject({ subagentRunId: "task-c1", toolCallId: "c1" });
      const again = httpAgent(version, served, { threadId: page.threadId });
      expect(about(await connect(again))).toEqual([started, suspended]);
      expect(again.pendingInterrupts).toEqual(page.pendingInterrupts);
      const resume = [{ interruptId: question?.id, status: "resolved", payload: { yes: true } }];
      expect(about(await run(page, { resume }))).toEqual([started, finished]);
      expect(about(await connect(again))).toEqual([started, finished]);
      expect(talk(again)).toEqual(talk(page));
    });

    it("W2 is told that it ended when the run is stopped", async () => {
      const model = handModel();
      const served = await serveTask(model);
      const page = httpAgent(version, served);
      const said = say(page, "What?");
      await model.turn();
      await served.ask(`/sessions/${page.threadId}/stop`, { method: "POST" });
      const events = await said;
      expect(types(about(events))).toEqual(["SUBAGENT_STARTED", "SUBAGENT_ERROR"]);
      expect(types(events).at(-1)).toBe("RUN_FINISHED");
      expect(about(await connect(httpAgent(version, served, { threadId: page.threadId })))).toEqual(
        about(events),
      );
    });

    it("W4 is told of it where it connects, while it works and afterwards", async () => {
      const model = handModel();
      const served = await serveTask(model);
      const page = httpAgent(version, served);
      const said = say(page, "What?");
      const turn = await model.turn();
      const late = httpAgent(version, served, { threadId: page.threadId });
      const heard: AgEvent[] = [];
      const connected = late.connectAgent(
        {},
        { onEvent: ({ event }: { event: AgEvent }) => void heard.push(event) },
      );
      await eventually(() => about(heard).length === 1);
      turn.say("It was wood.");
      turn.end();
      await Promise.all([said, connected]);
      expect(about(heard)).toEqual([started, finished]);
      expect(types(heard).indexOf("SUBAGENT_STARTED")).toBeGreaterThan(
        types(heard).lastIndexOf("MESSAGES_SNAPSHOT", types(heard).indexOf("SUBAGENT_STARTED")),
      );
      expect(talk(late)).toEqual(talk(page));
      await quiet(served);
      expect(about(await connect(httpAgent(version, served, { threadId: page.threadId })))).toEqual([
        started,
        finished,
      ]);
    });
  },
);

it("W4 a page that reads the stream of `GET /runs/:id/stream` is told of it too", async () => {
  const served: Served = await serveTask(scriptedModel([{ text: "It was wood." }]));
  const page = httpAgent("1.0", served);
  await say(page, "What?");
  const headers = { authorization: "Bearer ada" };
  const reading = new Reading({ url: `${served.url}/runs`, threadId: page.threadId, headers });
  expect(about(await connect(reading as never))).toEqual([started, finished]);
});
