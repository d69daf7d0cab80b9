import { type Agent, agent, type Hook, type ModelClient } from "@pawl/core";
import { remoteTools } from "@pawl/remote";
import { COACH } from "../base/reservation-id.ts";
import { instructions } from "../prompt/instructions.ts";
import type { BackendClient } from "./backend-client.ts";
import { importedAnswers } from "./import-session.ts";
import { tokenBudget } from "./token-budget.ts";

/** What the coach's agent is made of. */
export interface CoachAgentOptions {
  model: ModelClient;
  backend: BackendClient;
  /** The address before `/tools/schema`. */
  backendUrl: string;
  /** The most answers of the model in one run. */
  maxSteps: number;
  hooks: readonly Hook[];
  fetch?: typeof fetch | undefined;
}

/** The longest answer, in tokens, with its thinking. */
const MAX_TOKENS = 8_192;

/** Creates the coach's agent: its tools are the backend's, and its tokens are charged there. */
export function coachAgent({ model, backend, backendUrl, maxSteps, hooks, fetch }: CoachAgentOptions): Agent {
  // All users have the same tools, so one list is kept for all.
  const remote = remoteTools({ url: backendUrl, perUser: false, ...(fetch && { fetch }) });
  return agent({
    name: COACH,
    model,
    instructions,
    // Only runs that copy an earlier session have no credentials, and they call no tools.
    tools: async (source) => (source.credentials === undefined ? [] : await remote(source)),
    hooks: [...hooks, importedAnswers, tokenBudget(backend)],
    limits: { turns: maxSteps },
    maxTokens: MAX_TOKENS,
    whenBusy: "queue",
    onLimit: "land",
    stopMessages: {
      quota_exceeded:
        "Your token budget has no room left for this request. It is filled again at the start of the next month.",
    },
  });
}
