import type { AgentFailure } from "@pawl/client";
import type { UseAgent } from "@pawl/client/react";
import { useEffect, useRef, useState } from "react";

/** The failure to show, and what the user can do about it. */
export interface ShownFailure {
  failure: AgentFailure | undefined;
  onRetry: (() => void) | undefined;
  onDismiss: (() => void) | undefined;
}

/** The failure code of a run that failed. */
export const BROKE_OFF = "run";

/** The code of a refusal because the user's budget is used up. To try again would not help. */
const SPENT = "quota_exceeded";

/** The message that asks for a retry. The failed message is in the log already and must not be sent again. */
const AGAIN = "Please try again.";

const NOTHING: ShownFailure = { failure: undefined, onRetry: undefined, onDismiss: undefined };

/**
 * Returns the last failure: a refused request, or a run that failed. Puts the text of a refused message back
 * into the text field. `onArrived` is called if a message whose request failed has arrived all the same; it
 * must be a stable function.
 */
export function useFailure(
  { error, phase, messages, run }: UseAgent,
  send: (text: string) => void,
  putBack: (change: (written: string) => string) => void,
  onArrived: () => void,
): ShownFailure {
  const [dismissed, setDismissed] = useState<AgentFailure>();
  const refused = error?.text;
  const hasArrived = useArrived(error, messages);
  useEffect(() => {
    if (refused === undefined) return;
    if (!hasArrived) return putBack((written) => (written === "" ? refused : written));
    putBack((written) => (written === refused ? "" : written));
    onArrived();
  }, [refused, hasArrived, putBack, onArrived]);

  if (error !== undefined && error !== dismissed && !hasArrived) {
    const onRetry = refused === undefined || error.code === SPENT ? undefined : () => send(refused);
    const onDismiss = error.code === "not_found" ? undefined : () => setDismissed(error);
    return { failure: error, onRetry, onDismiss };
  }
  if (run?.failed === true && phase === "error") {
    const why = run.stop?.message ?? "The answer was interrupted.";
    const failure = { code: BROKE_OFF, message: `${why} Your message is saved.` };
    return run.stop?.type === SPENT
      ? { ...NOTHING, failure }
      : { ...NOTHING, failure, onRetry: () => send(AGAIN) };
  }
  return NOTHING;
}

/** Returns whether a message whose request failed is in the log. If so, only the response was lost. */
function useArrived(error: AgentFailure | undefined, messages: UseAgent["messages"]): boolean {
  const last = messages.findLast(({ role }) => role === "user");
  const atError = useRef({ error, id: last?.id });
  if (atError.current.error !== error) atError.current = { error, id: last?.id };
  return error?.text !== undefined && last?.text === error.text && last.id !== atError.current.id;
}
