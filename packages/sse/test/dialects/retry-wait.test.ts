import { agent, memoryStore, runtime, withRetry } from "@pawl/core";
import { localEngine } from "@pawl/core/store";
import { strictModel, testClock } from "@pawl/testing";
import { expect, it } from "vitest";
import { expectPrinted } from "../../../../test/support/printed.ts";
import { until } from "../../../../test/support/until.ts";
import { agUi, aiSdk, handler } from "../../src/index.ts";

it("F26 W3 a run that waits before it asks its model again shows no call and no question", async () => {
  // The request in the AI SDK's dialect has AG-UI's fields, too.
  expectPrinted("pawl: The page sends fields of its own");
  for (const [dialect, body] of [
    [aiSdk(), { messages: [{ id: "m1", role: "user", parts: [{ type: "text", text: "Go" }] }] }],
    [agUi(), { threadId: "t1", runId: "r1", messages: [{ id: "m1", role: "user", content: "Go" }] }],
  ] as const) {
    const clock = testClock();
    const store = memoryStore({ now: clock.now });
    const script = [{ fault: { status: 429, retryAfter: 60 } }, { text: "Done." }];
    const model = withRetry(strictModel({ script }));
    const helper = agent({ name: "helper", instructions: "You help.", model });
    const pawl = runtime({
      agents: [helper],
      store,
      testing: { clock },
      concurrency: 1,
      engine: localEngine({ clock }),
    });
    pawl.start();
    const serve = handler({ runtime: pawl, agent: "helper", dialect, authorize: () => ({ userId: "ada" }) });
    const more = {
      tools: [],
      context: [],
      state: {},
      forwardedProps: {},
      id: "chat",
      trigger: "submit-message",
    };
    const response = await serve(
      new Request("http://localhost/runs", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ ...more, ...body }),
      }),
    );
    const text = response.text();
    await until(async () => (await store.sessions.list({ userId: "ada" }))[0]?.wakeAt != null);
    await clock.advance(60_001);
    const told = await text;
    expect(told).toContain("Done.");
    expect(told).not.toMatch(/retry|tool-input|TOOL_CALL|interrupt/i);
    await pawl.drain();
  }
});
