import type { Leg } from "../loop/leg/leg.ts";
import type { CurrentRun, FinishedCall } from "../model/model-client.ts";
import { type CallState, openRun, type RunState } from "../session/state.ts";

/** Returns what a model that is code gets of the run: the user's last message, and the calls so far. */
export async function currentRun(leg: Leg): Promise<CurrentRun> {
  const run = openRun(leg.log.state);
  const results = (run?.calls ?? []).map(finishedCall);
  return { runId: run?.runId ?? "", message: await lastMessage(leg, run), results };
}

function finishedCall({ toolName: tool, arguments: input, started, result }: CallState): FinishedCall {
  const { result: value = null, success = false } = result?.data ?? {};
  return { tool, input: started?.input ?? input, result: value, success };
}

/** Returns the text of the user's last message. A retry has the message of an earlier run. */
async function lastMessage(leg: Leg, run: RunState | undefined): Promise<string> {
  const own = await lastAfter(leg, (run?.seq ?? 1) - 1);
  return own ?? (await lastAfter(leg, 0)) ?? "";
}

async function lastAfter(leg: Leg, afterSeq: number): Promise<string | undefined> {
  let message: string | undefined;
  // A message that no request has covered may still be refused by a hook.
  const unsent = new Set(leg.log.state.unsent.map(({ seq }) => seq));
  for await (const event of leg.run.read({ afterSeq, types: ["user_message"] }))
    if (event.type === "user_message" && !unsent.has(event.seq)) message = event.data.message;
  return message;
}
