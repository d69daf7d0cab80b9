import { expect, it } from "vitest";
import { expectPrinted } from "../../../../../test/support/printed.ts";
import type { Hook } from "../../../src/index.ts";
import { setup, user } from "../../support/setup.ts";

it("L1 L9 P1 answers a queued message although the first request is aborted while its run fails", async () => {
  expectPrinted("pawl: Internal server error");
  const control = new AbortController();
  const failing = Promise.withResolvers<void>();
  const queued = Promise.withResolvers<void>();
  const hook: Hook = {
    name: "aborts",
    onError: async () => {
      failing.resolve();
      await queued.promise;
      control.abort();
    },
  };
  const script = [{ fault: { status: 500 } }, { text: "Second answer." }];
  const world = setup(script, { whenBusy: "queue", hooks: [hook] });
  const run = world.pawl.run("tester", { ...user, input: "First", signal: control.signal });
  const { sessionId } = await run.started;
  await failing.promise;
  const second = world.pawl.run("tester", { ...user, sessionId, input: "Second" });
  await second.started;
  queued.resolve();
  expect((await run.result).stop.type).toBe("error");
  expect(await second.result).toMatchObject({ text: "Second answer.", stop: { type: "end_turn" } });
});
