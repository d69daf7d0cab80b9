import { checkOptions, type OptionKinds } from "@pawl/core";
import { DATABASE } from "../database/check-database.ts";
import type { Database } from "../database/queryable.ts";
import type { ListeningDatabase } from "../listening/listener.ts";

/** Options of `postgresTail()`. */
export interface PostgresTailOptions {
  /**
   * The database that sends notifications and has the live text. It may be behind a pooler. `false`: this
   * process sends no notifications and writes no live text. Default: `db`, which listens.
   */
  notify?: Database | false;
  /** The minimum time between two writes of a session's live text, in milliseconds. Default: 150. */
  liveEveryMs?: number;
  /** The name of the channel for `NOTIFY`. The same for all processes. Default: `pawl`. */
  channel?: string;
  /** Milliseconds for which notifications are collected, to send them as one statement. Default: 10. */
  everyMs?: number;
  /**
   * Milliseconds that a test notification of this process may take to arrive. If it takes longer, the
   * connection is replaced. Default: 5,000.
   */
  patienceMs?: number;
  /**
   * Called with an error if notifications cannot be sent or received. Readers poll in that case. Default:
   * logs it with `console.error`.
   */
  onError?(error: unknown): void;
}

const OPTIONS: OptionKinds<PostgresTailOptions> = {
  notify: { mustBe: "a database or false", is: isNotify },
  liveEveryMs: "number",
  channel: "string",
  everyMs: "number",
  patienceMs: "number",
  onError: "function",
};

const LISTENING: OptionKinds<{ db: ListeningDatabase }> = {
  db: {
    mustBe: "a database that can listen: a Pool of pg, the `sql` of postgres.js, or a PGlite",
    is: (db) => typeof Object(db).connect === "function" || typeof Object(db).listen === "function",
    required: true,
  },
};

function isNotify(value: unknown): boolean {
  return value === false || DATABASE.is(value);
}

/**
 * Checks the arguments of `postgresTail()`.
 *
 * @throws PawlError `config`
 */
export function checkTail(db: unknown, options: PostgresTailOptions): void {
  checkOptions("postgresTail()", { db }, LISTENING);
  checkOptions("postgresTail()", options, OPTIONS);
}
