import { approval, jsonSchema, tool } from "@pawl/core";
import { type Reply, scriptedModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { agUi } from "../../../src/index.ts";
import { connect, httpAgent, reloaded, run, say, talk } from "../../support/agents.ts";
import { eventually } from "../../support/chat.ts";
import { handModel } from "../../support/hand-model.ts";
import { look, serve, stored } from "../../support/served.ts";

const dialect = agUi();
const any = jsonSchema<object>({ type: "object" });
const locate = tool({
  name: "locate",
  description: "Returns where the user is.",
  input: any,
  runsIn: "client",
  output: jsonSchema({}),
});
const call = (id: string, name: string, input: object): Reply => ({ tools: [{ id, name, input }] as never });

describe.each(["0.0.59", "1.0"] as const)("W4 what a snapshot has is not sent again, AG-UI %s", (version) => {
  it("W2 two calls of frontend tools in a row, without text", async () => {
    const script = [call("c1", "locate", { n: 1 }), call("c2", "locate", { n: 2 }), { text: "Done." }];
    const served = await serve(scriptedModel(script), { dialect, tools: [locate] });
    const agent = httpAgent(version, served);
    await say(agent, "Go");
    agent.addMessage({ id: "r1", role: "tool", toolCallId: "c1", content: "1" });
    await run(agent);
    const asked = ["user Go", 'assistant locate({"n":1})', "tool 1", 'assistant locate({"n":2})'];
    expect(talk(agent)).toEqual(asked);
    agent.addMessage({ id: "r2", role: "tool", toolCallId: "c2", content: "2" });
    await run(agent);
    expect(talk(agent)).toEqual([...asked, "tool 2", "assistant Done."]);
    expect(talk(await reloaded(version, served, agent.threadId))).toEqual(talk(agent));
  });

  it("K6 a call that asks for approval, after a reload while the tool before it works", async () => {
    let finish = () => {};
    const working = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const slow = tool({ name: "slow", description: "Waits.", input: any, execute: () => working });
    const served = await serve(
      scriptedModel([
        { text: "First.", ...call("c1", "slow", {}) },
        call("c2", "look", { what: "a" }),
        { text: "Done." },
      ]),
      { dialect, tools: [slow, look], hooks: [approval({ when: ["look"] })] },
    );
    const agent = httpAgent(version, served);
    const saying = say(agent, "Go");
    await eventually(() => talk(agent).at(-1) === "assistant First. slow({})");
    const page = httpAgent(version, served, { threadId: agent.threadId });
    const connected = connect(page);
    await eventually(() => talk(page).at(-1) === "assistant First. slow({})");
    finish();
    await Promise.all([saying, connected]);
    expect(talk(page).at(-1)).toBe('assistant look({"what":"a"})');
    expect(talk(page)).toEqual(talk(agent));
  });

  it("L8 the last word of a run, while a message waits for the next one", async () => {
    const model = handModel();
    const served = await serve(model, { dialect, whenBusy: "queue" });
    const one = httpAgent(version, served);
    const first = say(one, "one");
    const turn = await model.turn();
    turn.say("The first.");
    await eventually(() => talk(one).at(-1) === "assistant The first.");
    const two = await reloaded(version, served, one.threadId);
    const second = say(two, "two");
    await stored(served, "two");
    turn.end();
    const next = await model.turn();
    next.say("I will tell you");
    await eventually(() => talk(two).at(-1) === "assistant I will tell you");
    const three = await reloaded(version, served, one.threadId);
    const third = say(three, "three");
    await stored(served, "three");
    next.end([], "refusal");
    const last = await model.turn();
    last.say("The third.");
    last.end();
    await Promise.all([first, second, third]);
    const answered = ["user one", "assistant The first.", "user two", "assistant I cannot help with this."];
    expect(talk(two)).toEqual([...answered, "user three"]);
    expect(talk(three)).toEqual([...answered, "user three", "assistant The third."]);
  });
});
