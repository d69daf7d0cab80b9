import type { StoredEvent } from "@pawl/core";
import { expect, it } from "vitest";
import { readLog } from "../src/log/read-log.ts";

it("I1 F34 the model that chooses sources does not read a message that a hook has hidden", async () => {
  const at = "2026-11-30T10:00:00.000Z";
  const message = (seq: number, text: string) => ({ seq, at, type: "user_message", data: { message: text } });
  const refused = { by: "hook", events: [{ seq: 1, keep: 0 }], stop: { type: "blocked", message: "No." } };
  const hidden = {
    ...{ seq: 2, at, type: "checkpoint" },
    data: { from_seq: 1, upto_seq: 1, reason: "drop_old_results", only: "refused", refused },
  };
  const events = [message(1, "evil"), hidden, message(3, "good")] as unknown as StoredEvent[];
  const read = async function* () {
    yield* events;
  };
  const { messages, conversation } = await readLog({ read, runId: "r1" } as never, "initializer");
  expect([messages, conversation]).toEqual([["good"], []]);
});
