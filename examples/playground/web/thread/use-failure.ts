import type { AgentFailure } from "@pawl/client";
import type { UseAgent } from "@pawl/client/react";
import { useEffect, useRef, useState } from "react";

/** What is to be shown of a failure, and what can be done about it. */
export interface ShownFailure {
  failure: AgentFailure | undefined;
  onRetry: (() => void) | undefined;
  onDismiss: (() => void) | undefined;
}

/** The code of a failure that is a run's. */
export const BROKE_OFF = "run";

/**
 * The message that asks for another try. The one before is in the log: saying it again would say it twice.
 */
const AGAIN = "Please try again.";

const NOTHING: ShownFailure = { failure: undefined, onRetry: undefined, onDismiss: undefined };

/**
 * The last failure: something that was refused, or a run that broke off. A message that was refused goes back
 * to where it was written.
 */
export function useFailure(
  { error, phase, messages, run }: UseAgent,
  send: (text: string) => void,
  putBack: (change: (written: string) => string) => void,
): ShownFailure {
  const [dismissed, setDismissed] = useState<AgentFailure>();
  const refused = error?.text;
  const hasArrived = useArrived(error, messages);
  useEffect(() => {
    if (refused === undefined) return;
    if (hasArrived) putBack((written) => (written === refused ? "" : written));
    else putBack((written) => (written === "" ? refused : written));
  }, [refused, hasArrived, putBack]);

  if (error !== undefined && error !== dismissed && !hasArrived) {
    const onRetry = refused === undefined ? undefined : () => send(refused);
    const onDismiss = error.code === "not_found" ? undefined : () => setDismissed(error);
    return { failure: error, onRetry, onDismiss };
  }
  if (run?.failed === true && phase === "error") {
    const why = run.stop?.message ?? "This answer broke off.";
    const failure = { code: BROKE_OFF, message: `${why} Your message is safe in the log.` };
    return { ...NOTHING, failure, onRetry: () => send(AGAIN) };
  }
  return NOTHING;
}

/**
 * Whether a message that counted as refused has turned up in the log: then only the answer to it was lost.
 */
function useArrived(error: AgentFailure | undefined, messages: UseAgent["messages"]): boolean {
  const last = messages.findLast(({ role }) => role === "user");
  const atError = useRef({ error, id: last?.id });
  if (atError.current.error !== error) atError.current = { error, id: last?.id };
  return error?.text !== undefined && last?.text === error.text && last.id !== atError.current.id;
}
