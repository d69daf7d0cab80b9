import type { JsonObject, RunOptions, Session } from "@pawl/core";
import { HTTPException } from "hono/http-exception";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { Begin } from "../dialects/base/dialect.ts";

/**
 * The caller of a request, as `authorize` returns it. `caller` and `credentials` are those of `RunOptions`.
 * Any other field is an error, unless it is `undefined`.
 */
export interface Caller {
  /** Id of the user, who owns the sessions. */
  userId: string;
  /** What is stored with the runs of this request, e.g. the user's workspace and roles. Default: nothing. */
  caller?: JsonObject;
  /** What tools need to act for the user, e.g. a token. It is never stored. Default: none. */
  credentials?: unknown;
  /**
   * What else `admit` needs, e.g. the claims of a verified token, which `supabaseAuth()` returns. Runs, tools
   * and hooks do not get it. Default: none.
   */
  claims?: unknown;
}

/** What a request asks for: a new run with a message, a run's continuation with answers, or a retry. */
export interface Wanted {
  begins: "message" | "answers" | "retry";
  /** Id of the session. Absent if the message begins a new one. */
  sessionId?: string;
  /**
   * The client's own name for the session, also for a new one: the id of a chat of `useChat`, or of a thread
   * of AG-UI. Absent in other dialects.
   */
  threadId?: string;
}

/**
 * Throws the application's response if it does not admit what a request begins. `session` is the user's own
 * session, or the id of the one that the request begins, if it is known.
 */
export type Admit = (begin: Begin, session: Session | string | undefined, threadId?: string) => Promise<void>;

/** The caller and credentials of a reader, for a run that asks for credentials. */
export type Reader = Pick<Caller, "caller" | "credentials">;

/** Returns the caller's options of `follow()`. */
export function readBy({ caller, credentials }: Caller): Reader {
  return { ...(caller !== undefined && { caller }), ...(credentials !== undefined && { credentials }) };
}

/** Returns the caller's options of `run()`. */
export function askedBy(from: Caller): Pick<RunOptions, "userId" | keyof Reader> {
  return { userId: from.userId, ...readBy(from) };
}

/** A response of the application's own, which is sent as it is. */
export class OwnResponse extends HTTPException {
  constructor(res: Response) {
    super(res.status as ContentfulStatusCode, { res });
  }
}

/** Returns what a request begins, for `admit`; `undefined` if it begins or continues no run. */
export function wantedBy(
  begin: Begin,
  sessionId: string | undefined,
  threadId: string | undefined,
): Wanted | undefined {
  const named = {
    ...(sessionId !== undefined && { sessionId }),
    ...(threadId !== undefined && { threadId }),
  };
  if ("input" in begin) return { begins: "message", ...named };
  if ("answers" in begin) return { begins: "answers", ...named };
  return "retry" in begin ? { begins: "retry", ...named } : undefined;
}
