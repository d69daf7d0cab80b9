import type { Agent } from "../../agent/agent.ts";
import type { Deadline } from "../../base/deadline.ts";
import type { Json } from "../../base/json.ts";
import type { Hook, HookContext } from "../../hooks/hook.ts";
import type { OutcomeChange, ToolOutcome } from "../../hooks/tool-change.ts";
import type { NewEvent } from "../../log/event.ts";
import type { EventData } from "../../log/event-data.ts";
import type { Session } from "../../log/session-row.ts";
import type { ContentBlock, ContentBlockParam } from "../../model/content.ts";
import type { ResultEvent } from "../../session/close-calls.ts";
import type { CallState } from "../../session/state.ts";
import type { FetchedUserData } from "./part-types.ts";
import type { SessionLog } from "./session-log.ts";

/** The hooks to notify, and the function by which the application gets what they throw. */
export interface Notified {
  agent: Pick<Agent, "name" | "hooks">;
  report(error: unknown): void;
}

/** A run that has started without user data. */
interface StartedWithout {
  runId: string;
  userData: FetchedUserData;
}

/** The work on what hooks return and throw. */
export interface HookParts<Leg> {
  /** Checks the return value of a hook's method. Throws if it is invalid. */
  checkReturned(method: string, value: unknown): void;
  /** Returns the content of an `afterModel` hook as it is stored. Throws if it is invalid. */
  checkRewrite(
    before: readonly ContentBlock[],
    after: readonly ContentBlockParam[],
    paused: boolean,
  ): readonly ContentBlock[];
  /**
   * Returns a call's outcome with a hook's changes; `format` formats a changed result. Throws if they are
   * invalid.
   */
  changedOutcome(
    before: ToolOutcome,
    change: OutcomeChange,
    format: (result: Json) => ToolOutcome["content"],
  ): ToolOutcome;
  /** Logs and reports what a hook threw. */
  reportHook(leg: Leg, hook: Hook, method: string, cause: unknown): Promise<void>;
  /** Returns the result of a call whose own result was not checked, because a hook that guards has failed. */
  withheldResult(call: CallState, result: ResultEvent): ResultEvent;
  /** Reports the tools that a hook guards and the agent does not have for this caller. */
  reportUnguarded(leg: Leg, agent: Agent): Promise<void>;
  /**
   * Calls `onError` of all hooks in order. Returns an error event for each hook that throws, and reports what
   * it has thrown.
   */
  notifyHooks(
    deadline: Deadline,
    notified: Notified,
    error: EventData["error"],
    context: HookContext,
  ): Promise<Extract<NewEvent, { type: "error" }>[]>;
  /** Reports why a run has started without user data, notifies the hooks, and logs what they throw. */
  reportUserData(
    deadline: Deadline,
    begun: Notified & { session: Session; log: SessionLog },
    started: StartedWithout,
  ): Promise<void>;
}
