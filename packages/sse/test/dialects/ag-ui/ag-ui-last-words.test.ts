import { type Reply, strictModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { expectPrinted } from "../../../../../test/support/printed.ts";
import { agUi } from "../../../src/index.ts";
import { connect, errorOf, httpAgent, reloaded, run, say, talk } from "../../support/agents.ts";
import { serve } from "../../support/served.ts";

const dialect = agUi();
const slow = { deltas: 3, delayPerEventMs: 15 };
const cut: Reply = { text: "This is cut off in the middle", clip: 10, ...slow };
const refused: Reply = { text: "I will tell you how to", stop: "refusal", ...slow };
const good: Reply = { text: "Better." };

describe.each(["0.0.59", "1.0"] as const)("L8 the last word of a run, AG-UI %s", (version) => {
  it.each([
    ["an answer that is cut short", cut, /^assistant My answer was cut short/],
    ["a refusal", refused, /^assistant I cannot help with this\.$/],
  ])("of %s is a message, now and after a reload", async (_name, reply, word) => {
    const served = await serve(strictModel({ script: [reply, good] }), { dialect });
    const agent = httpAgent(version, served);
    expect(errorOf(await say(agent, "Hi"))).toBeUndefined();
    expect(talk(agent).at(-1)).toMatch(word);
    const page = await reloaded(version, served, agent.threadId);
    expect(talk(page)).toEqual(talk(agent));
    await connect(page);
    expect(talk(page)).toEqual(talk(agent));
    await say(page, "And now?");
    expect(talk(page).at(-1)).toBe("assistant Better.");
  });

  it("of a run that reached its limit is the error's message", async () => {
    const loop = Array.from({ length: 201 }, (_, at) => ({
      tools: [{ id: `l${at}`, name: "look", input: { what: `${at}` } }],
    }));
    const served = await serve(strictModel({ script: loop }), { dialect });
    const agent = httpAgent(version, served);
    const events = await say(agent, "Hi");
    expect(errorOf(events)).toMatch(/\w/);
    expect(errorOf(await connect(await reloaded(version, served, agent.threadId)))).toBe(errorOf(events));
  });

  it("W6 a message that is too long is refused, and the thread continues without it", async () => {
    expectPrinted("Agent execution failed: Error: HTTP 413:");
    const served = await serve(strictModel({ script: [good, good] }), { dialect });
    const agent = httpAgent(version, served);
    await say(agent, "Hi");
    await expect(say(agent, "x".repeat(1_200_000))).rejects.toThrow("413");
    expect(errorOf(await say(agent, "Shorter"))).toBeUndefined();
    expect(talk(agent).slice(-2)).toEqual(["user Shorter", "assistant Better."]);
  });

  it("W6 a thread of 20,000 messages, sent with every request, is answered, and refused where it was cut", async () => {
    const served = await serve(strictModel({ script: [good, good, good] }), { dialect });
    const agent = httpAgent(version, served);
    await say(agent, "Hi");
    const before = Array.from({ length: 20_000 }, (_, at) => ({
      id: `old-${at}`,
      role: at % 2 === 0 ? "user" : "assistant",
      content: `Message ${at}, of a time before this server. ${"x".repeat(200)}`,
    }));
    const short = [...agent.messages];
    agent.setMessages([...before, ...short]);
    await say(agent, "And?");
    expect(talk(agent).slice(-2)).toEqual(["user And?", "assistant Better."]);
    agent.setMessages([...before, ...short]);
    expect(errorOf(await say(agent, "Cut"))).toContain("load the thread");
    expect(errorOf(await run(agent))).toContain("load the thread");
  });
});
