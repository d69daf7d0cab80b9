import { type HookContext, messageOf, PawlError } from "@pawl/core";

/** Told of what goes wrong; the log does not keep the words, because clients see it. */
export type OnError = (error: unknown, context: HookContext) => void;

/** Nothing more can be stored: without its log a run cannot go on. */
export function isLogFailure(cause: unknown): boolean {
  const codes = ["fenced", "store_unavailable", "forbidden"] as const;
  return codes.some((code) => PawlError.is(cause, code));
}

/** Tells of failures, by default on the console. Who is told of one may not make new ones. */
export function reporter(name: string, onError?: OnError): OnError {
  const tell = onError ?? ((error: unknown) => console.error(`${name}: ${messageOf(error)}`));
  return (error, context) => {
    try {
      tell(error, context);
    } catch {}
  };
}
