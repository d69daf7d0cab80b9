import { PawlError } from "../../base/errors.ts";
import { isEqualJson } from "../../base/json.ts";
import { loadState } from "../../fold/load.ts";
import type { Session } from "../../log/session-row.ts";
import { isWaiting } from "../../session/asking.ts";
import { openRun } from "../../session/state.ts";
import { storedCaller } from "../leg/access.ts";
import type { CallerOptions, Host } from "../leg/host.ts";
import { lackedAgent } from "../leg/speaking-agent.ts";
import { beginWithAnswers } from "./begin-with-answers.ts";

/**
 * Continues a run that waits for credentials with those of a reader. Does nothing if the reader is another
 * caller than the run's: only an answer may change the caller of a run.
 */
export async function giveCredentials(
  host: Host,
  session: Session,
  { caller, credentials }: CallerOptions,
): Promise<void> {
  const agent = host.agents.get(session.agent);
  if (credentials === undefined || agent === undefined) return;
  const state = await loadState(host.store, session.id);
  const run = openRun(state);
  const question = run?.asked.find((asked) => asked.before === "resume" && isWaiting(asked));
  if (run === undefined || question === undefined) return;
  if (lackedAgent(host, session, state) !== undefined) return;
  if (caller !== undefined && !isEqualJson(storedCaller({ caller, credentials }), run.caller)) return;
  try {
    const answers = [{ callId: question.callId, value: true }];
    await beginWithAnswers(host, { session, agent, answers, credentials });
  } catch (error) {
    // Another reader has given its credentials first.
    if (!PawlError.is(error, "already_answered")) throw error;
  }
}
