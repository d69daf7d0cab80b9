import type { EventData } from "../events/event.ts";

/** Where a hook is called. */
export interface HookContext {
  sessionId: string;
  userId: string;
  runId: string;
  agent: string;
}

/** Something that takes part in a run. Hooks are awaited, in the order of the agent's list. */
export interface Hook {
  readonly name: string;
  /** Told of every error that the run logs: failed model calls, breaches of the model's contract, reached limits. */
  onError?(error: EventData["error"], context: HookContext): void | Promise<void>;
}
