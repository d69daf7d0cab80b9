import { approval, type JsonObject } from "@pawl/core";
import { type Reply, scriptedModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { expectPrinted } from "../../../../../test/support/printed.ts";
import { aiSdk } from "../../../src/index.ts";
import { callOf, chat, eventually, history, type Part } from "../../support/chat.ts";
import { confirm, look, type Served, serve } from "../../support/served.ts";

const fails: Reply = { fault: { status: 400, type: "invalid_request_error", message: "x" } };
const calls = (name: string, input: JsonObject): Reply => ({ tools: [{ id: "c1", name, input }] });
const asks = {
  approval: calls("look", { what: "it" }),
  question: calls("confirm", { question: "Sure?" }),
};
const nameOf = { approval: "look", question: "confirm" } as const;

/** A session whose first run asks, and the page that has asked it. */
async function asking(what: keyof typeof asks, ...rest: Reply[]) {
  const model = scriptedModel([asks[what], ...rest]);
  const hooks = [approval({ when: ["look"] })];
  const served = await serve(model, { dialect: aiSdk(), tools: [confirm, look], hooks });
  const page = chat(7, served, { id: "c" });
  await page.sendMessage({ text: "Go" });
  const [session] = await served.store.sessions.list({ userId: "ada" });
  return { served, page, sessionId: session?.id ?? "", call: () => callOf(page, nameOf[what]) };
}

/** What a page shows that loads the session, and one that gets its last run again. */
async function shown(served: Served, name: string): Promise<[loaded: Part, again: Part]> {
  const again = chat(7, served, { id: "c" });
  await again.resumeStream();
  return [callOf({ messages: await history(served, "c") }, name), callOf(again, name)];
}

const isOver = async ({ store }: Served, sessionId: string) =>
  (await store.sessions.get(sessionId))?.openRun === null;

const settling: [string, reason: string, (served: Served, sessionId: string) => Promise<unknown>][] = [
  ["the run was stopped", "the run was stopped.", (served) => served.ask("/sessions/c/stop", { json: {} })],
  [
    "the run ended",
    "the run ended before it was answered.",
    async ({ store, runtime }, sessionId) => {
      const session = { status: "expired" } as const;
      await store.append(sessionId, [{ type: "app.over", data: {} }], { appendId: "over", session });
      await runtime.sweep();
    },
  ],
];

describe.each(settling)("P6 W2 a question that is open when %s", (_title, reason, settle) => {
  it("is denied with the reason, if it is an approval", async () => {
    const { served, sessionId } = await asking("approval");
    await settle(served, sessionId);
    await eventually(() => isOver(served, sessionId));
    const [loaded, again] = await shown(served, "look");
    expect(loaded).toMatchObject({ state: "output-denied", approval: { approved: false, reason } });
    expect(again.state).toBe("output-denied");
  });

  it("is an error with the reason, if it is another question", async () => {
    const { served, sessionId } = await asking("question");
    await settle(served, sessionId);
    await eventually(() => isOver(served, sessionId));
    const error = { state: "output-error", errorText: `Not answered: ${reason}` };
    for (const part of await shown(served, "confirm")) expect(part).toMatchObject(error);
  });
});

describe("C8 W2 a redacted call of a page", () => {
  it("keeps no payload of its approval: loaded, in the stream of its run, and in that of a retry", async () => {
    expectPrinted("pawl: x");
    const { served, page, sessionId, call } = await asking("approval", fails, { text: "Anew." });
    const before = callOf({ messages: await history(served, "c") }, "look");
    expect(before.callProviderMetadata?.pawl?.approval).toEqual({ tool: "look", input: { what: "it" } });
    await page.addToolApprovalResponse({ id: call().approval?.id ?? "", approved: true });
    await eventually(() => isOver(served, sessionId));
    const [said] = await Array.fromAsync(served.store.read(sessionId, { types: ["assistant_message"] }));
    await served.runtime.redact(sessionId, said?.seq ?? 0, { userId: "ada" });
    const mark = { callProviderMetadata: { pawl: { approval: "[redacted]" } } };
    for (const part of await shown(served, "look")) expect(part).toMatchObject(mark);
    const retried = chat(7, served, { id: "c", messages: await history(served, "c") });
    await retried.regenerate();
    expect(callOf(retried, "look")).toMatchObject(mark);
  });

  it("stays approved when its answer and its result are redacted", async () => {
    const { served, page, sessionId, call } = await asking("approval", { text: "Done." });
    await page.addToolApprovalResponse({ id: call().approval?.id ?? "", approved: true });
    await eventually(() => isOver(served, sessionId));
    const [result] = await Array.fromAsync(served.store.read(sessionId, { types: ["tool_result"] }));
    await served.runtime.redact(sessionId, result?.seq ?? 0, { userId: "ada" });
    const [loaded, again] = await shown(served, "look");
    expect(loaded).toMatchObject({
      state: "output-available",
      output: "[redacted]",
      approval: { approved: true },
    });
    expect(again).toMatchObject({ state: "output-available", output: "[redacted]" });
  });
});
