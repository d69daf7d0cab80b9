import { approval } from "@pawl/core";
import { type Reply, scriptedModel } from "@pawl/testing";
import { lastAssistantMessageIsCompleteWithApprovalResponses as isComplete7 } from "ai";
import { lastAssistantMessageIsCompleteWithApprovalResponses as isComplete6 } from "ai-6";
import { lastAssistantMessageIsCompleteWithApprovalResponses as isComplete6First } from "ai-6-first";
import { lastAssistantMessageIsCompleteWithApprovalResponses as isComplete6Middle } from "ai-6-middle";
import { lastAssistantMessageIsCompleteWithApprovalResponses as isComplete7First } from "ai-7-first";
import { describe, expect, it } from "vitest";
import { expectPrinted } from "../../../../../test/support/printed.ts";
import { answersAreComplete } from "../../../../client/src/ai-sdk.ts";
import { aiSdk } from "../../../src/index.ts";
import { type Chat, callOf, chat, eventually, history, type Version } from "../../support/chat.ts";
import { look, type Served, serve } from "../../support/served.ts";

// What the user has decided, and why, is in the log. Every page shows it, and none sends it again.

const isComplete = {
  "6.0.37": isComplete6First,
  "6.0.160": isComplete6Middle,
  6: isComplete6,
  "7.0.0": isComplete7First,
  7: isComplete7,
};
const VERSIONS: readonly Version[] = ["6.0.37", "6.0.160", 6, "7.0.0", 7];
const calls: Reply = { text: "I look. ", tools: [{ id: "c1", name: "look", input: { what: "it" } }] };
const fails: Reply = { fault: { status: 400, type: "invalid_request_error", message: "x" } };
const payload = { tool: "look", input: { what: "it" } };

async function asking(version: Version, ...rest: Reply[]) {
  const hooks = [approval({ when: ["look"] })];
  const served = await serve(scriptedModel([calls, ...rest]), { dialect: aiSdk(), tools: [look], hooks });
  const live = chat(version, served, { id: "c" });
  await live.sendMessage({ text: "Go" });
  return { served, live };
}

async function decide(live: Chat, approved: boolean, status = "ready") {
  await live.addToolApprovalResponse({
    id: callOf(live, "look").approval?.id ?? "",
    approved,
    reason: "Why",
  });
  await eventually(
    () => live.status === status && callOf(live, "look").state?.startsWith("output-") === true,
    () => [live.status, live.error?.message, live.messages],
  );
}

/** The pages that have loaded the session, and get its last run again: with its messages, and without. */
async function resumed(version: Version, served: Served): Promise<Chat[]> {
  const pages = [
    chat(version, served, { id: "c", messages: await history(served, "c") }),
    chat(version, served, { id: "c" }),
  ];
  for (const page of pages) await page.resumeStream();
  return pages;
}

describe.each(VERSIONS)("W2 a settled approval on a page of the AI SDK %s", (version) => {
  it.each([true, false])("has its decision and reason, live, loaded and resumed: %s", async (approved) => {
    const { served, live } = await asking(version, { text: "Done." });
    await decide(live, approved);
    const loaded = { messages: await history(served, "c") };
    for (const page of [live, loaded, ...(await resumed(version, served))]) {
      const call = callOf(page, "look");
      expect(call.callProviderMetadata?.pawl).toEqual({ approval: payload, approved, reason: "Why" });
      expect(call.state).toBe(approved ? "output-available" : "output-denied");
    }
    for (const page of [live, loaded])
      expect(callOf(page, "look").approval).toMatchObject({ approved, reason: "Why" });
  });

  it.each([true, false])("has them after regenerate(): %s", async (approved) => {
    expectPrinted("pawl: x");
    const { live } = await asking(version, fails, { text: "Anew." });
    await decide(live, approved, "error");
    await live.regenerate();
    expect(callOf(live, "look").callProviderMetadata?.pawl).toMatchObject({ approved, reason: "Why" });
  });

  it("is sent by no page again", async () => {
    const { served, live } = await asking(version, { text: "Done." });
    await decide(live, true);
    for (const page of [live, ...(await resumed(version, served))]) {
      expect(answersAreComplete(page)).toBe(false);
      expect(isComplete[version](page as never)).toBe(false);
    }
  });

  it("is one part of the page that has decided", async () => {
    const { live } = await asking(version, { text: "Done." });
    await decide(live, true);
    expect(live.messages.at(-1)?.parts.filter(({ toolCallId }) => toolCallId === "c1")).toHaveLength(1);
  });
});
