import type { AgentFailure } from "@pawl/client";
import type { UseAgent } from "@pawl/client/react";
import { useEffect, useState } from "react";

/** What is to be shown of a failure, and what can be done about it. */
export interface ShownFailure {
  failure: AgentFailure | undefined;
  onRetry: (() => void) | undefined;
  onDismiss: (() => void) | undefined;
}

/**
 * The last failure: something that was refused, or a run that broke off. A message that was refused goes back to where
 * it was written.
 */
export function useFailure(
  { error, phase, messages }: UseAgent,
  send: (text: string) => void,
  putBack: (change: (written: string) => string) => void,
): ShownFailure {
  const [dismissed, setDismissed] = useState<AgentFailure>();
  const refused = error?.text;
  useEffect(() => {
    if (refused !== undefined) putBack((written) => (written === "" ? refused : written));
  }, [refused, putBack]);

  if (error !== undefined && error !== dismissed) {
    const retry = refused === undefined ? undefined : () => send(refused);
    const dismiss = error.code === "not_found" ? undefined : () => setDismissed(error);
    return { failure: error, onRetry: retry, onDismiss: dismiss };
  }
  const said = messages.findLast(({ role }) => role === "user")?.text;
  if (error === undefined && phase === "error" && said !== undefined) {
    const failure = { code: "run", message: "This answer broke off. Your message is safe in the log." };
    return { failure, onRetry: () => send(said), onDismiss: undefined };
  }
  return { failure: undefined, onRetry: undefined, onDismiss: undefined };
}
