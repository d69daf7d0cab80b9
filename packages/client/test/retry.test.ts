import { canBeRetried } from "@pawl/core";
import { scriptedModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { expectPrinted } from "../../../test/support/printed.ts";
import { clientOf, expectSame, isIdle, lastText, serve, when } from "./support/clients.ts";

const broken = { text: "Half of it", fault: { midStream: "invalid_request_error", afterEvents: 4 } } as const;
const isFailed = ({ phase }: { phase: string }) => phase === "error";

describe("L12 retry()", () => {
  it("runs the message of a failed run again, and replaces the half answer with the new one", async () => {
    expectPrinted("pawl: invalid_request_error");
    const served = await serve(scriptedModel([broken, { text: "Now it works." }]));
    const client = clientOf(served);
    await client.send("Hi");
    const failed = await when(client, isFailed);
    expect(canBeRetried(failed.run ?? {})).toBe(true);
    expect(await client.retry()).toBe(true);
    const done = await when(client, isIdle);
    expect(done.messages.map(({ text }) => text)).toEqual(["Hi", "Now it works."]);
    expect(done.error).toBeUndefined();
    await expectSame(served, client);
  });

  it("pressed twice, and in two tabs, makes one run", async () => {
    expectPrinted("pawl: invalid_request_error");
    const model = scriptedModel([broken, { text: "Now it works.", delayPerEventMs: 3 }]);
    const served = await serve(model);
    const client = clientOf(served);
    await client.send("Hi");
    const { sessionId = "" } = await when(client, isFailed);
    const other = clientOf(served, { sessionId });
    await when(other, isFailed);
    expect(await Promise.all([client.retry(), client.retry(), other.retry()])).toEqual([true, true, true]);
    for (const tab of [client, other]) await when(tab, (state) => isIdle(state) && lastText(state) !== "");
    await expectSame(served, client, other);
    expect(model.requests).toHaveLength(2);
  });

  it("after a complete answer is refused with an explanation, and without any run does nothing", async () => {
    const served = await serve(scriptedModel([{ text: "Hello." }]));
    const client = clientOf(served);
    expect(await client.retry()).toBe(false);
    await client.send("Hi");
    await when(client, isIdle);
    expect(await client.retry()).toBe(false);
    expect(client.getState().error).toMatchObject({ code: "invalid_input" });
    expect(client.getState().error?.message).toContain("answered already");
  });
});
