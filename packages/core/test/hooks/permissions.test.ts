import type { Reply } from "@pawl/testing";
import { beforeEach, describe, expect, it } from "vitest";
import { permissions, tool } from "../../src/index.ts";
import { allowFailedHooks, failures, sound } from "../support/hooks.ts";
import { setup } from "../support/setup.ts";
import { calling, echo, text } from "../support/tools.ts";

beforeEach(allowFailedHooks);

const allow = { talk: ["read"], work: ["read", "write"] };

function world(script: readonly Reply[], hook = permissions({ allow })) {
  const types: (string | undefined)[] = [];
  const [read, write] = [echo("read", { repeatable: true }), echo("write", { repeatable: true })];
  const enter = tool({
    name: "enter",
    description: "",
    input: text,
    repeatable: true,
    execute: ({ text: mode }, { setMode, type }) => {
      types.push(type);
      setMode(mode === "none" ? null : mode);
      if (mode === "fail") throw new Error("no");
      return "entered";
    },
  });
  const made = setup([...script, { text: "Ok." }, { text: "Fine." }], {
    tools: [read.tool, write.tool, enter],
    hooks: [hook],
    limits: { errorTurns: 99, toolFailures: 99 },
  });
  return { ...made, read: read.ran, write: write.ran, types };
}

const withEnter = permissions({
  allow: { talk: ["read", "enter"], work: ["read", "write", "enter"] },
  otherwise: ["enter"],
});

describe("permissions", () => {
  it("T5 T6 go by the session's type; a denial is an error that says what is allowed", async () => {
    const both = { tools: [calling("read"), calling("write")] };
    const talk = world([both]);
    const { actions, sessionId } = await talk.say("Go", { metadata: { type: "talk" } });
    expect(actions.map(({ success }) => success)).toEqual([true, false]);
    expect(actions[1]?.result).toBe('"write" is not allowed in "talk". Allowed are: read.');
    expect(talk.write).toEqual([]);
    await sound(talk, sessionId);
    const work = world([both]);
    await work.say("Go", { metadata: { type: "work" } });
    expect([work.read, work.write]).toEqual([["a"], ["a"]]);
  });

  it("T6 allow nothing to a type that is not known, nor to one that is no string or only looks like one", async () => {
    for (const type of ["nosuch", "constructor", "__proto__", "", 5, null, ["work"]]) {
      const made = world([{ tools: [calling("read")] }]);
      const { actions, sessionId } = await made.say("Go", { metadata: { type } });
      expect(actions[0]).toMatchObject({
        success: false,
        result: expect.stringMatching(/^"read" is not allowed.*No tool is\.$/),
      });
      expect(made.read).toEqual([]);
      await sound(made, sessionId);
    }
    const made = world([{ tools: [calling("read")] }], permissions({ allow, otherwise: ["read"] }));
    await made.say("Go");
    expect(made.read).toEqual(["a"]);
  });

  it("T5 go by the mode that a tool has set, from the next turn on, over runs, until it is taken back", async () => {
    const script = [
      { tools: [calling("enter", "work"), calling("write", "1")] },
      { tools: [calling("write", "2")] },
      { text: "Ok." },
      { tools: [calling("write", "3"), calling("enter", "none")] },
      { tools: [calling("write", "4")] },
    ];
    const made = world(script, withEnter);
    const { sessionId } = await made.say("Go", { metadata: { type: "talk" } });
    expect(made.write).toEqual(["2"]);
    await made.say("More", { sessionId });
    expect(made.write).toEqual(["2", "3"]);
    expect(made.types).toEqual(["talk", "work"]);
    expect(
      new Set(made.model.requests.map(({ tools, system }) => JSON.stringify([tools, system]))).size,
    ).toBe(1);
    expect(made.model.requests[0]?.tools).toHaveLength(3);
    await sound(made, sessionId);
  });

  it("T5 stay as they are when the tool that was to set the mode fails", async () => {
    const made = world(
      [{ tools: [calling("enter", "fail")] }, { tools: [calling("enter", "x")] }],
      withEnter,
    );
    const { sessionId } = await made.say("Go", { metadata: { type: "talk" } });
    expect(made.types).toEqual(["talk", "talk"]);
    await sound(made, sessionId);
  });

  it("T5 know the mode in another process, and in a fork", async () => {
    const made = world([{ tools: [calling("enter", "work")] }], withEnter);
    const { sessionId } = await made.say("Go", { metadata: { type: "talk" } });
    const { id } = await made.pawl.fork(sessionId, { userId: "u1" });
    for (const there of [sessionId, id]) {
      const ran: string[] = [];
      const write = tool({
        name: "write",
        description: "",
        input: text,
        execute: ({ text: said }) => void ran.push(said),
      });
      const next = setup(
        [{ tools: [calling("write")] }, { text: "Ok." }],
        { tools: [write], hooks: [withEnter] },
        { store: made.store },
      );
      await next.say("Go", { sessionId: there });
      expect(ran).toEqual(["a"]);
    }
  });

  it("T6 check what a call is about to do; a check that fails denies the call", async () => {
    const check = permissions({
      allow,
      check: async ({ input }) => {
        const { text: said } = input as { text: string };
        if (said === "throw") throw new Error("no rules");
        return said.startsWith("/home/") ? undefined : "Only in /home.";
      },
    });
    const tools = [
      calling("read", "/etc"),
      calling("read", "/home/x"),
      calling("read", "throw"),
      calling("write", "/home/x"),
    ];
    const made = world([{ tools }], check);
    const { actions, sessionId } = await made.say("Go", { metadata: { type: "talk" } });
    expect(actions.map(({ result }) => result)).toEqual([
      "Only in /home.",
      "echo /home/x",
      "A check of this call failed.",
      '"write" is not allowed in "talk". Allowed are: read.',
    ]);
    expect(failures(await made.log(sessionId))).toEqual(["beforeTool of permissions"]);
    await sound(made, sessionId);
  });
});
