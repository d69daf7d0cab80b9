import assert from "node:assert/strict";
import type { StoredEvent } from "@pawl/core";
import { loadState } from "../../packages/core/src/fold/load.ts";
import { assertSoundLog, ofType } from "../support/invariants.ts";
import type { Fleet } from "./fleet.ts";

/** Checks the log of every session, once the fleet has finished. */
export async function checkAtEnd(fleet: Fleet): Promise<void> {
  const { witness, database } = fleet;
  for (const id of witness.sessions.keys()) {
    const log = await Array.fromAsync(database.store.read(id));
    try {
      assertSoundLog(log);
      assertOnce(log);
      assertWorkDone(fleet, log);
      await assertRow(fleet, id, log);
    } catch (error) {
      witness.fault(`${id}: ${(error as Error).message}`);
    }
  }
}

/** Asserts that no step that the log has was done again. */
function assertOnce(log: readonly StoredEvent[]): void {
  let answered = false;
  const results = new Set<string>();
  for (const event of log) {
    const { type, data } = event;
    if (type === "llm_request") answered = false;
    if (type === "assistant_message") {
      assert.ok(!answered, `the turn of ${event.seq} was answered before`);
      answered = true;
    }
    if (type === "tool_result") results.add(data.call_id);
    if (type === "tool_started")
      assert.ok(!results.has(data.call_id), `${data.call_id} was started again after its result`);
  }
}

/** Asserts that whatever has a good result was done, and that messages of users were stored once. */
function assertWorkDone({ outside }: Fleet, log: readonly StoredEvent[]): void {
  for (const { data } of ofType(log, "tool_result")) {
    const result = String(data.result);
    if (!data.success || !result.startsWith("done ")) continue;
    const part = result.slice("done ".length);
    assert.ok((outside.done.get(`${data.call_id}/${part}`) ?? 0) > 0, `${data.call_id} was not done`);
  }
  const texts = ofType(log, "user_message").map(({ data }) => JSON.stringify(data));
  assert.equal(new Set(texts).size, texts.length, "a message was stored twice");
}

/** Asserts that the log folds into what the row says. */
async function assertRow({ database }: Fleet, id: string, log: readonly StoredEvent[]): Promise<void> {
  const state = await loadState(database.store, id);
  const row = await database.store.sessions.get(id);
  assert.equal(row?.lastSeq, log.length, "the row and the log differ");
  assert.equal(state.lastSeq, log.length, "the log does not fold");
  assert.equal(row?.openRun, null, "the run is open");
  assert.ok(state.run?.ended !== undefined, "the folded run is open");
  assert.equal(row?.pending, 0, "a question is pending after the end");
}
