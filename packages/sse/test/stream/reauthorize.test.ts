import { scriptedModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { clientOf, isIdle, when } from "../../../client/test/support/clients.ts";
import { handler } from "../../src/index.ts";
import { serve } from "../support/served.ts";

const slowly = () => scriptedModel(() => ({ text: "word ".repeat(60), deltas: 60, delayPerEventMs: 15 }));

describe("a stream that lasts", () => {
  it("B5 W4 ends now and then, so that its client is authorized again, and nothing is lost", async () => {
    let authorized = 0;
    const served = await serve(slowly(), {
      reauthorizeMs: 150,
      authorize: () => {
        authorized += 1;
        return { userId: "ada" };
      },
    });
    const client = clientOf(served);
    await client.send("go");
    const { messages, run } = await when(client, isIdle);
    expect(messages[1]?.text).toBe("word ".repeat(60).trimEnd());
    expect(run?.stop?.type).toBe("end_turn");
    expect(authorized).toBeGreaterThan(3);
    expect(served.errors).toEqual([]);
  });

  it("B5 shows nothing more to a user who was signed out, at the latest then", async () => {
    let isSignedIn = true;
    const served = await serve(slowly(), {
      reauthorizeMs: 200,
      authorize: () => (isSignedIn ? { userId: "ada" } : null),
    });
    const client = clientOf(served);
    await client.send("go");
    isSignedIn = false;
    const { error, messages } = await when(client, ({ connection }) => connection === "offline", 25_000);
    expect(error?.code).toBe("unauthorized");
    expect((messages[1]?.text ?? "").length).toBeLessThan("word ".length * 45);
  }, 30_000);

  it("B5 L10 does not stop the run whose client comes back", async () => {
    const served = await serve(slowly(), { reauthorizeMs: 150, onClientGone: "stop" });
    const client = clientOf(served);
    await client.send("go");
    expect((await when(client, isIdle)).run?.stop?.type).toBe("end_turn");
  });

  it("B5 lasts five minutes by default, for ever if asked, and refuses what is not a time", async () => {
    const served = await serve(slowly(), { reauthorizeMs: Number.POSITIVE_INFINITY });
    const response = await served.ask("/runs", { json: { input: "go" } });
    expect(await response.text()).toContain("run_ended");
    const options = { runtime: served.runtime, agent: "coach", authorize: () => null };
    for (const reauthorizeMs of [0, -1, Number.NaN])
      expect(() => handler({ ...options, reauthorizeMs })).toThrow("reauthorizeMs");
  });
});
