import type { Hook, JsonObject } from "@pawl/core";

/** What a run asks for in its `params`, e.g. by switches of the page. */
export interface Capabilities {
  /** Whether an agent should answer. Default: true. */
  agentic?: boolean;
  /** Whether the web should be searched. Default: false. */
  webSearch?: boolean;
  /** Whether a long report is wanted. Default: false. */
  deepResearch?: boolean;
}

/**
 * Whether the search agent is right for a run with these `params`. Use it to choose the agent; the search
 * agent itself refuses other runs.
 */
export function isForSearchAgent(params: Capabilities | JsonObject = {}): boolean {
  const { agentic, webSearch, deepResearch } = params;
  return agentic !== false && webSearch !== true && deepResearch !== true;
}

const MESSAGE =
  "I search what your company has written, and nothing else. Please switch off web search and deep research, or ask another assistant.";

/** Ends a run that is not for the search agent before anything is planned. */
export const capabilityGate: Hook = {
  name: "capability-gate",
  beforeRun: ({ run }) =>
    isForSearchAgent(run.params) ? undefined : { stop: { type: "blocked", message: MESSAGE } },
};
