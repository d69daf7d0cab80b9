import type { StopReason } from "../log/stop-reason.ts";
import { messagesForNextRun } from "../loop/end-run.ts";
import type { Successor } from "../loop/leg/end-parts.ts";
import type { Leg } from "../loop/leg/leg.ts";
import { afterBarrier } from "../loop/leg/stored-first.ts";
import { reportMissingUserData, startEvents, userDataFor } from "../loop/start-run.ts";
import type { ToolSpec } from "../model/content.ts";

/**
 * Fetches the user data for the next run, if queued messages need one. Uses the caller of the last message.
 * `reason` is why the current run ends, before a hook has changed it.
 *
 * Returns a function that makes the next run from the state at the time of its call. Nothing may be awaited
 * between that call and the append, so that no message is missed. The function returns `undefined` if no
 * message needs a run. It returns `decide_again` if another message has become the last one, because that
 * message may have another caller.
 */
export async function prepareNextRun(
  leg: Leg,
  reason: StopReason,
): Promise<() => Successor | "decide_again" | undefined> {
  const lastMessage = () => messagesForNextRun(leg, reason).at(-1);
  const message = lastMessage();
  const { clock } = leg.life;
  const userData =
    message === undefined
      ? { text: "", failure: undefined }
      : await afterBarrier(leg, async () =>
          userDataFor(leg.parts.load, leg.run, await leg.access.accessOf(message), {
            clock,
            hide: leg.access.hide,
          }),
        );
  return () => {
    const last = lastMessage();
    if (last === undefined) return undefined;
    if (last.seq !== message?.seq) return "decide_again";
    const { caller, credentials, client_tools } = last.data;
    const start = {
      runId: leg.run.newId(),
      userData,
      ...(caller && { caller }),
      ...(credentials && { credentials }),
    };
    return {
      next: { run_id: start.runId, messages: messagesForNextRun(leg, reason).map(({ seq }) => seq) },
      events: startEvents(leg.log.state, withNextTools(leg, client_tools), leg.run.newId, start),
      begun: async () => {
        leg.life.keepLeaseFor(start.runId);
        // biome-ignore lint/plugin: what is called with it calls it through the gate `afterBarrier()`.
        const begun = { ...leg.run, log: leg.log, report: (error: unknown) => leg.report.toFix(error) };
        await reportMissingUserData(leg.parts.load, leg.life, begun, start);
      },
    };
  };
}

/**
 * Returns the agent with the tools of the next run: its own, and those that the message's client offers. If
 * the agent's `tools` is a function, its own tools are those of the current prefix: the leg of the next run
 * calls the function for that run's caller, and stores a new prefix if the tools differ.
 */
function withNextTools(
  { log: { state }, run: { agent } }: Leg,
  offered: readonly ToolSpec[] = [],
): Parameters<typeof startEvents>[1] {
  const { tools: sent = [], clientTools = [] } = state.prefix ?? {};
  const own =
    agent.toolsFor === undefined || state.prefix === undefined
      ? [...agent.tools.values()].flatMap((tool) => (tool.offered ? [] : tool.spec))
      : sent.filter(({ name }) => !clientTools.includes(name));
  const ownNames = new Set(own.map(({ name }) => name));
  const added = agent.clientTools ? offered.filter(({ name }) => !ownNames.has(name)) : [];
  return {
    ...agent,
    tools: new Map([
      ...own.map((spec) => [spec.name, { spec }] as const),
      ...added.map((spec) => [spec.name, { spec, offered: true as const }] as const),
    ]),
  };
}
