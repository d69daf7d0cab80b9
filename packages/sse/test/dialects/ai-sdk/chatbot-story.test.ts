import { approval } from "@pawl/core";
import { describe, expect, it } from "vitest";
import { expectPrinted } from "../../../../../test/support/printed.ts";
import { stopRun } from "../../../../client/src/ai-sdk.ts";
import { aiSdk, type HandlerOptions } from "../../../src/index.ts";
import { type Chat, callOf, chat, eventually, history, textOf, type Version } from "../../support/chat.ts";
import { handModel } from "../../support/hand-model.ts";
import { serve } from "../../support/served.ts";

// The page of a chatbot as its users have it: it sends one message, resumes only if the user's message is the
// last one, sends only while its status is `ready`, and reads errors of its own form.

const VERSIONS: readonly Version[] = ["6.0.37", "6.0.160", 6, "7.0.0", 7];
const look = (id: string) => [{ id, name: "look", input: { what: id } }];
const errorBody: HandlerOptions["errorBody"] = ({ error }) => ({ code: error.code, cause: error.message });

async function chatbot(version: Version) {
  const model = handModel();
  const dialect = aiSdk({ inProgress: "hide", replayFailures: false });
  const hooks = [approval({ when: (call) => JSON.stringify(call.input).includes("secret") })];
  const served = await serve(model, { dialect, hooks, ...(errorBody && { errorBody }) });
  /** A page that has just been loaded. */
  const load = async () => {
    const page = chat(version, served, {
      id: "c",
      messages: await history(served, "c"),
      prepareSendMessagesRequest: ({ id, messages }) => ({ body: { id, message: messages.at(-1) } }),
    });
    const resuming = page.messages.at(-1)?.role === "user" ? page.resumeStream() : Promise.resolve();
    return { page, resuming };
  };
  const say = (page: Chat, text: string) => {
    expect(page.status).toBe("ready");
    return page.sendMessage({ text });
  };
  const server = { api: `${served.url}/runs`, headers: { authorization: "Bearer ada" } };
  return { model, served, load, say, server };
}

const shows = async (page: Chat, talk: readonly string[], status = "ready") => {
  await eventually(
    () => page.messages.map(textOf).join() === talk.join() && page.status === status,
    () => [page.status, page.error?.message, page.messages.map(textOf)],
  );
};

describe.each(VERSIONS)("W2 W4 K6 the story of a chatbot's page, AI SDK %s", (version) => {
  it("sends, and is reloaded in the middle of a text and of a tool", async () => {
    const { model, served, load, say } = await chatbot(version);
    const { page } = await load();
    const sending = say(page, "Hi");
    const turn = await model.turn();
    turn.say("Well, ");
    await shows(page, ["Hi", "Well, "], "streaming");
    const { page: second, resuming } = await load();
    await shows(second, ["Hi", "Well, "], "streaming");
    turn.say("I look. ");
    turn.end(look("a"));
    const next = await model.turn();
    const { page: third, resuming: again } = await load();
    await shows(third, ["Hi", "Well, I look. "], "streaming");
    expect(callOf(third, "look")).toMatchObject({ state: "output-available", output: "found a" });
    next.say("Found.");
    next.end();
    await Promise.all([sending, resuming, again]);
    const { page: last } = await load();
    for (const one of [page, second, third, last]) await shows(one, ["Hi", "Well, I look. |Found."]);
    const listed = (await (await served.ask("/sessions")).json()) as { sessions: { title: string }[] };
    expect(listed.sessions.map(({ title }) => title)).toEqual(["Hi"]);
  });

  it("stops the run, also after a reload, and continues", async () => {
    const { model, load, say, server } = await chatbot(version);
    const { page } = await load();
    const sending = say(page, "Write");
    (await model.turn()).say("Once ");
    await shows(page, ["Write", "Once "], "streaming");
    const { page: second, resuming } = await load();
    await shows(second, ["Write", "Once "], "streaming");
    expect(await stopRun(second, server)).toBe(true);
    await Promise.all([sending, resuming]);
    for (const one of [page, second]) await shows(one, ["Write", "Once "]);
    const { page: third } = await load();
    const more = say(third, "Go on");
    const turn = await model.turn();
    turn.say("upon.");
    turn.end();
    await more;
    await shows(third, ["Write", "Once ", "Go on", "upon."]);
  });

  it.each([true, false])("asks for an approval, after a reload too, which is given: %s", async (approved) => {
    const { model, load, say } = await chatbot(version);
    const { page: first } = await load();
    const sending = say(first, "Look");
    (await model.turn()).end(look("secret"));
    await sending;
    const { page } = await load();
    expect(callOf(page, "look").state).toBe("approval-requested");
    await page.addToolApprovalResponse({ id: callOf(page, "look").approval?.id ?? "", approved });
    const turn = await model.turn();
    turn.say("Then so.");
    turn.end();
    await shows(page, ["Look", "Then so."]);
    const { page: later } = await load();
    expect(callOf(later, "look").state).toBe(approved ? "output-available" : "output-denied");
    // The other tab still shows the question. Its answer comes too late, and it learns that.
    await first.addToolApprovalResponse({
      id: callOf(first, "look").approval?.id ?? "",
      approved: !approved,
    });
    await eventually(() => first.error !== undefined);
    expect(JSON.parse(first.error?.message ?? "").code).toBe("already_answered");
    await shows(later, ["Look", "Then so."]);
  });

  it("shows a failure once, and sends again after a reload", async () => {
    expectPrinted("pawl: down");
    const { model, load, say } = await chatbot(version);
    const { page } = await load();
    const sending = say(page, "Hi");
    const turn = await model.turn();
    turn.say("Well");
    turn.fail(new Error("down"));
    await sending;
    expect([page.status, page.error?.message]).toEqual(["error", expect.not.stringContaining("down")]);
    const { page: second, resuming } = await load();
    await resuming;
    await shows(second, ["Hi", "Well"]);
    const more = say(second, "Again");
    const next = await model.turn();
    next.say("Here I am.");
    next.end();
    await more;
    await shows(second, ["Hi", "Well", "Again", "Here I am."]);
  });

  it("has the message and the answer of another tab", async () => {
    const { model, load, say } = await chatbot(version);
    const { page: one } = await load();
    const first = say(one, "One");
    const turn = await model.turn();
    turn.say("First.");
    turn.end();
    await first;
    const { page: two } = await load();
    const second = say(two, "Two");
    const next = await model.turn();
    next.say("Second.");
    next.end();
    await second;
    const { page: later } = await load();
    for (const page of [two, later]) await shows(page, ["One", "First.", "Two", "Second."]);
  });
});
