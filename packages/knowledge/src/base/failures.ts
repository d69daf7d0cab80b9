import { type HookContext, messageOf, PawlError } from "@pawl/core";

/** Receives failures. The log has only codes for them, because clients may see it. */
export type OnError = (error: unknown, context: HookContext) => void;

/** Whether the log can store nothing more, so that the run cannot continue in this process. */
export function isLogFailure(cause: unknown): boolean {
  const codes = ["fenced", "store_unavailable", "forbidden"] as const;
  return codes.some((code) => PawlError.is(cause, code));
}

/** Reports failures, by default on the console. An `onError` that throws is ignored. */
export function reporter(name: string, onError?: OnError): OnError {
  const tell = onError ?? ((error: unknown) => console.error(`${name}: ${messageOf(error)}`));
  return (error, context) => {
    try {
      tell(error, context);
    } catch {}
  };
}
