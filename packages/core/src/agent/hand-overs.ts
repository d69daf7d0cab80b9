import type { Hook } from "../hooks/hook.ts";
import type { RunState } from "../session/state.ts";
import type { Agent } from "./agent.ts";

/**
 * The most hand-overs to other agents since the user's last message. Further transfers are skipped, so that
 * agents cannot hand over to each other without end.
 */
const MOST_HAND_OVERS = 10;

type Call = Parameters<NonNullable<Hook["beforeTool"]>>[0];

/**
 * Returns the result of a transfer that must not run: it is not the first one of its turn, or there were too
 * many hand-overs. Otherwise `undefined`. `transfers` are the names of all tools that hand over.
 */
export function surplusTransfer(
  transfers: readonly string[],
  { tool, callId }: Call,
  { turn, handOvers }: Readonly<RunState>,
): { result: string; skipped: "surplus" } | undefined {
  if (tool.handsOverTo !== undefined && handOvers >= MOST_HAND_OVERS)
    return skipped(
      `there were ${MOST_HAND_OVERS} hand-overs since the user's last message. Answer the user now.`,
    );
  const first = turn?.calls.find(
    ({ toolName }) => transfers.includes(toolName) && (turn.tools?.includes(toolName) ?? true),
  );
  if (first === undefined || first.callId === callId) return undefined;
  return skipped(`"${first.toolName}" came first in this turn.`);
}

function skipped(why: string): { result: string; skipped: "surplus" } {
  return { result: `Not run: ${why}`, skipped: "surplus" };
}

/** Returns the agent without its hand-overs: a sub-agent has one task, and no conversation to hand over. */
export function withoutHandOvers({ handOverTo, ...agent }: Agent): Agent {
  if (handOverTo === undefined) return agent;
  const { toolsFor } = agent;
  const kept = <T extends { handsOverTo?: string }>(tools: readonly T[]) =>
    tools.filter((one) => one.handsOverTo === undefined);
  return {
    ...agent,
    tools: new Map(kept([...agent.tools.values()]).map((one) => [one.name, one])),
    ...(toolsFor && {
      toolsFor: async (source) => {
        const tools = await toolsFor(source);
        return Array.isArray(tools) ? kept(tools) : tools;
      },
    }),
  };
}
