import { expect, it } from "vitest";
import { memoryStore } from "../../../src/index.ts";
import type { Snapshot } from "../../../src/store.ts";
import { setup, user } from "../../support/setup.ts";

it("R5 E11 a snapshot has no params of a message that was redacted before its retry", async () => {
  const inner = memoryStore();
  const saved: Snapshot[] = [];
  const store = {
    ...inner,
    saveSnapshot: async (id: string, snapshot: Snapshot) => {
      saved.push(snapshot);
      await inner.saveSnapshot?.(id, snapshot);
    },
  };
  let fails = false;
  const world = setup(
    { rules: () => (fails ? { fault: { status: 400 } as never } : { text: "Fine." }) },
    {},
    { store, onError: () => undefined },
  );
  let sessionId: string | undefined;
  for (let seq = 0; seq < 190; ) {
    const run = await world.say("Go", sessionId === undefined ? {} : { sessionId });
    sessionId = run.sessionId;
    seq = (await store.sessions.get(sessionId))?.lastSeq ?? 0;
  }
  const id = sessionId ?? "";
  fails = true;
  const failed = await world.say("secret", { sessionId: id, params: { my: "secret" } });
  fails = false;
  for (const { seq } of await world.log(id)) await world.pawl.redact(id, seq, user).catch(() => undefined);
  saved.length = 0;
  await world.pawl.run("tester", { ...user, sessionId: id, retry: failed.runId }).result;
  expect(saved.length).toBe(1);
  expect(saved[0]?.state.includes("secret")).toBe(false);
});
