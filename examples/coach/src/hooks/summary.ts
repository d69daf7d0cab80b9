import type { Hook, RunContext, RunResult } from "@pawl/core";
import { dayOf } from "../base/day.ts";
import type { CoachDeps } from "../deps/deps.ts";
import { shortHash } from "../files/file-name.ts";
import { withFrontMatter } from "../files/front-matter.ts";
import { harmlessMarkdown } from "../files/harmless.ts";
import { DEFAULT_TYPE } from "../sessions/session-types.ts";

/** What a summary is made of. */
export interface ToSummarize {
  sessionId: string;
  type: string;
  /** What the model said of it when it completed the session. */
  summary: string | undefined;
  /** All text of the last run. */
  text: string;
  signal: AbortSignal;
}

export type Summarize = (session: ToSummarize) => string | Promise<string>;

/**
 * Writes down what came out of a session that was completed: when the run is over and all its text is there,
 * and once for it. The file is named after the run, so a process that dies over it leaves nothing that a
 * second one would double.
 */
export function sessionSummary(summarize: Summarize = ownWords): Hook<CoachDeps> {
  return {
    name: "session-summary",
    idempotent: true,
    afterRun: async (result, context) => {
      const completed = completing(result);
      if (completed === undefined) return;
      const { files, now, timeZone } = context.deps.coach;
      const type =
        typeof context.session.metadata.type === "string" ? context.session.metadata.type : DEFAULT_TYPE;
      const said = await summarize({ ...completed, ...partsOf(context), type, text: result.text });
      const day = dayOf(now(), timeZone);
      const head = { type: "session-summary", date: day, session_type: type, session: context.sessionId };
      const path = `session-summaries/${day}-${shortHash(result.runId)}.md`;
      await files.put(
        path,
        withFrontMatter(head, harmlessMarkdown(said).trim() || ownWords({ ...completed, text: result.text })),
      );
    },
  };
}

function partsOf({ sessionId, signal }: RunContext<CoachDeps>): Pick<ToSummarize, "sessionId" | "signal"> {
  return { sessionId, signal };
}

/** The call that has completed the session, if one has. */
function completing({ actions }: RunResult): { summary: string | undefined } | undefined {
  for (const { tool, success, result } of actions) {
    if (tool !== "complete_session" || success !== true) continue;
    const { success: done, completed, summary } = Object(result) as Record<string, unknown>;
    if (done === true && completed === "session")
      return { summary: typeof summary === "string" ? summary : undefined };
  }
  return undefined;
}

const LONGEST = 600;

function ownWords({ summary, text }: Pick<ToSummarize, "summary" | "text">): string {
  return summary?.trim() || text.trim().slice(0, LONGEST).toWellFormed() || "Nothing was said.";
}
