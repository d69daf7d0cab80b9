import { expect } from "vitest";
import { allowPrinted } from "../../../../test/support/printed.ts";
import type { Hook, StoredEvent } from "../../src/index.ts";
import type { Setup } from "./setup.ts";

/** Does nothing but have a name. */
export const named = (name: string, methods: Omit<Hook, "name">): Hook => ({ name, ...methods });

/**
 * Asked before each turn and each call, so that the event which leads to it is stored before it, in an append
 * of its own.
 */
export const looking = named("looking", { beforeTurn: () => undefined, beforeTool: () => undefined });

/** Everything that was asked of the model was valid, every call has one result, and the next message works. */
export async function sound(world: Setup, sessionId: string): Promise<StoredEvent[]> {
  const said = await world.say("And now?", { sessionId });
  const log = await world.log(sessionId);
  expect(world.model.rejected).toEqual([]);
  expect(said.runId).toBe(log.findLast((event) => event.type === "run_started")?.data.run_id);
  const idsOf = (type: "tool_call" | "tool_result") =>
    log.flatMap((event) => (event.type === type ? [event.data.call_id] : [])).sort();
  const open = new Set(said.pending.map(({ callId }) => callId));
  expect(idsOf("tool_result")).toEqual(idsOf("tool_call").filter((id) => !open.has(id)));
  expect(log.map(({ seq }) => seq)).toEqual(log.map((_, at) => at + 1));
  return log;
}

/** The hooks that the log says have failed, as `method of name`. */
export function failures(log: readonly StoredEvent[]): string[] {
  return log.flatMap((event) => {
    if (event.type !== "error" || event.data.code !== "hook_failed") return [];
    const { hook, method } = event.data.context as { hook: string; method: string };
    return [`${method} of ${hook}`];
  });
}

/** Lets a test print what its failing hooks and `userData` report, if another test proves what is reported. */
export const allowFailedHooks = (): void =>
  allowPrinted(/^pawl: (\w+ of "[^"]+"|`userData` of the agent "[^"]+")/);
