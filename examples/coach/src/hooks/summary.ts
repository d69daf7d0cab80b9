import { type Hook, type RunContext, type RunResult, textOf } from "@pawl/core";
import { dayOf } from "../base/day.ts";
import type { CoachDeps } from "../deps/deps.ts";
import { shortHash } from "../files/file-name.ts";
import { withFrontMatter } from "../files/front-matter.ts";
import { harmlessMarkdown } from "../files/harmless.ts";
import { DEFAULT_TYPE } from "../sessions/session-types.ts";

/** The input of a summary. */
export interface ToSummarize {
  sessionId: string;
  type: string;
  /** The summary that the model passed to `complete_session`. */
  summary: string | undefined;
  /** The text of the session's last run. */
  text: string;
  /** Returns what the user and the coach have written in the session, one line for each text. */
  conversation(): Promise<string>;
  /** Asks a model within the run's limits, and charges the run for it. */
  askModel: RunContext["askModel"];
  signal: AbortSignal;
}

/** Returns the summary of a session. If it is empty, the coach's own words are used. */
export type Summarize = (session: ToSummarize) => string | Promise<string>;

const NAME = "session-summary";

/**
 * Writes the summary of a completed session to a file, after the run that completed it. If a crash causes a
 * second attempt, it overwrites the same file.
 */
export function sessionSummary(summarize: Summarize = ownWords): Hook<CoachDeps> {
  return {
    name: NAME,
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

type Parts = Pick<ToSummarize, "sessionId" | "signal" | "conversation" | "askModel">;

function partsOf({ sessionId, signal, read, askModel }: RunContext<CoachDeps>): Parts {
  return {
    sessionId,
    signal,
    askModel,
    conversation: async () => {
      const lines: string[] = [];
      for await (const { type, data } of read({ types: ["user_message", "assistant_message"] })) {
        if (type === "user_message") lines.push(`user: ${data.message}`);
        else if (type === "assistant_message") lines.push(`assistant: ${textOf(data.content)}`);
      }
      return lines.join("\n");
    },
  };
}

/** Returns the summary of the call that completed the session; `undefined` if no call did. */
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
  return (
    summary?.trim() || text.trim().slice(0, LONGEST).toWellFormed() || "Nothing was written in this session."
  );
}
