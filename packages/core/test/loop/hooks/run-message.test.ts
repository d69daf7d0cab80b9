import { describe, expect, it } from "vitest";
import { type Hook, memoryFiles } from "../../../src/index.ts";
import { named } from "../../support/hooks.ts";
import { setup, user } from "../../support/setup.ts";
import { calling, echo } from "../../support/tools.ts";

/** A hook that reads the message before each run and turn, and what it has read. */
function reader() {
  const read: unknown[] = [];
  const look: Hook["beforeRun"] = async ({ message }) => {
    read.push(await message());
    return undefined;
  };
  const beforeTurn: Hook["beforeTurn"] = async (_, { message }) => {
    read.push((await message())?.text);
    return undefined;
  };
  return { read, hooks: [named("look", { beforeRun: look, beforeTurn })] };
}

describe("H1 context.message()", () => {
  it("H1 is the message of this run, with its files and its place in the log", async () => {
    const { read, hooks } = reader();
    const { say, pawl } = setup([{ text: "One." }, { text: "Two." }], { hooks }, { files: memoryFiles() });
    const { sessionId } = await say("First");
    const input = [
      { type: "text", text: "Second" },
      { type: "file", data: new TextEncoder().encode("a,b"), name: "a.csv" },
    ] as const;
    await pawl.run("tester", { ...user, sessionId, input }).result;
    expect(read).toMatchObject([
      { text: "First", files: [] },
      "First",
      { text: "Second", files: [{ name: "a.csv" }] },
      "Second",
    ]);
  });

  it("H1 is the newest one once another has arrived during the run, and that of the failed run for a retry", async () => {
    const { read, hooks } = reader();
    const tool = echo("echo", {
      execute: async () => {
        await pawl.run("tester", { ...user, sessionId: "s1", input: "Wait" }).started;
        return "ok";
      },
    });
    const script = [
      { tools: [calling("echo")] },
      { fault: { status: 401, message: "No." } },
      { text: "Done." },
    ];
    const { pawl, store } = setup(
      script,
      { hooks, tools: [tool.tool], whenBusy: "queue" },
      { onError: () => undefined },
    );
    await store.sessions.create({ id: "s1", userId: user.userId, agent: "tester" });
    const failed = await pawl.run("tester", { ...user, sessionId: "s1", input: "Go" }).result;
    expect(read).toMatchObject([{ text: "Go" }, "Go", "Wait"]);
    await pawl.run("tester", { ...user, sessionId: "s1", retry: failed.runId }).result;
    expect(read.slice(3)).toMatchObject([{ text: "Wait" }, "Wait"]);
  });
});
