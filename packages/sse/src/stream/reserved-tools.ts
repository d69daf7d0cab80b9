import { PawlError, type RunStart, type Runtime } from "@pawl/core";
import { speakersOf } from "@pawl/core/store";
import type { Dialect } from "../dialects/base/dialect.ts";

/** @throws PawlError `config` if one of these tools has a name that the dialect reserves. */
export function refuseReserved(
  { name, reserved = [] }: Pick<Dialect, "name" | "reserved">,
  agent: string,
  tools: { has(tool: string): boolean },
): void {
  const taken = reserved.find((word) => tools.has(word));
  if (taken === undefined) return;
  throw new PawlError(
    "config",
    `The agent "${agent}" has a tool "${taken}", but the dialect ${name} has an event of that name. Rename the tool.`,
  );
}

/**
 * Checks the tools that a function has returned for a run, once the run has started: only then are they
 * known. Stops the run if one of them has a name that the dialect reserves.
 *
 * @throws PawlError `config` in that case.
 */
export async function checkReturnedTools(
  runtime: Runtime,
  dialect: Dialect,
  { agent, userId, start }: { agent: string; userId: string; start: RunStart },
): Promise<void> {
  if (dialect.reserved === undefined || !speakersOf(runtime, agent).some(({ toolsFor }) => toolsFor)) return;
  let names = new Set<string>();
  let speaker = agent;
  const types = ["prefix", "run_started"] as const;
  for await (const { type, data } of runtime.store.read(start.sessionId, { types })) {
    if (type === "prefix") names = new Set(data.tools.map(({ name }) => name));
    else if (type === "run_started") speaker = data.agent;
  }
  try {
    refuseReserved(dialect, speaker, names);
  } catch (error) {
    await runtime.stop(start.sessionId, { userId });
    throw error;
  }
}
