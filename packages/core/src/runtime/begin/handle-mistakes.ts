import { messageOf, PawlError } from "../../base/errors.ts";
import type { Host } from "../leg/host.ts";

/** Reports, once, that a field of a run's result was read from the run itself. */
export function reportMisread({ mistakes, report }: Pick<Host, "mistakes" | "report">, field: string): void {
  if (mistakes.has("misread")) return;
  mistakes.add("misread");
  report(
    new PawlError(
      "config",
      `\`${field}\` is not on the run that run() returns, but on its result. Write \`const { ${field} } = await pawl.run(…).result\`.`,
    ),
  );
}

/**
 * Reports that a run failed and that nobody had asked for its result by then. `begun` is whether its message
 * is stored: then another process resumes it if this one is shutting down.
 */
export function reportUnread({ report }: Pick<Host, "report">, error: unknown, begun: boolean): void {
  if (begun && PawlError.is(error, "draining")) return;
  const message = `A run failed, and nobody awaits it: ${messageOf(error)} Await \`run.result\` or \`run.started\`, and handle its rejection.`;
  const cause = { cause: error };
  report(
    PawlError.is(error)
      ? new PawlError(error.code, message, { ...cause, details: error.details })
      : new Error(message, cause),
  );
}
