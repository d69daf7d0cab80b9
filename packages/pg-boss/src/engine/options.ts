import { checkOptions, type OptionKinds, PawlError } from "@pawl/core";
import { PgBoss } from "pg-boss";

/** Options of `pgBossEngine()`: `connectionString` or `boss`, and settings of the queue. */
export interface PgBossEngineOptions {
  /**
   * The Postgres on which pg-boss has its tables, in the schema `pgboss`. It creates them if they are
   * missing. Not behind a pooler in transaction mode, because pg-boss listens.
   */
  connectionString?: string | undefined;
  /**
   * Your own PgBoss instead, which you start and stop. Without `useListenNotify: true`, wakes take up to 2
   * seconds. Set `monitorIntervalSeconds` and `superviseIntervalSeconds` to 2, or the sessions of a dead
   * process wait for a minute.
   */
  boss?: PgBoss | undefined;
  /**
   * Whether the runtime's store is in the same database, e.g. `postgresStore()` with a pool of the same
   * `connectionString`. Then a message for which a process has no place is stored in one transaction with its
   * wake, from the first one after the engine has connected. Default: false, the session is woken after that.
   */
  sameDatabase?: boolean;
  /**
   * The name of the queue: letters, digits, `_`, `-`, `.` or `/`. Processes with the same queue share its
   * sessions. Default: `pawl`.
   */
  queue?: string;
  /**
   * How long a process may be silent before its sessions are given to another one, in seconds. An integer
   * of 10 or more. All processes of a queue should have the same. Default: 10.
   */
  heartbeatSeconds?: number;
  /**
   * Called with the errors and warnings of pg-boss's background work, unless a `boss` was given. Default:
   * logs them with `console.error`.
   */
  onError?(error: unknown): void;
}

const OPTIONS: OptionKinds<PgBossEngineOptions> = {
  connectionString: "string",
  boss: { mustBe: "a PgBoss", is: (boss) => boss instanceof PgBoss },
  sameDatabase: "boolean",
  queue: {
    mustBe: 'letters, digits, `_`, `-`, `.` or `/`, e.g. "agents"',
    // What pg-boss accepts.
    is: (queue) => typeof queue === "string" && /^[\w.\-/]+$/.test(queue),
    isPublic: true,
  },
  heartbeatSeconds: {
    mustBe: "an integer of 10 or more",
    is: (seconds) => Number.isInteger(seconds) && Number(seconds) >= 10,
  },
  onError: "function",
};

/**
 * Checks the options of `pgBossEngine()`.
 *
 * @throws PawlError `config`
 */
export function checkEngine(options: PgBossEngineOptions): void {
  checkOptions("pgBossEngine()", options, OPTIONS);
  if ((options.connectionString === undefined) === (options.boss === undefined)) {
    const isUnset = Object.hasOwn(options, "connectionString") && options.connectionString === undefined;
    const reason = isUnset ? "; `connectionString` is undefined. Is DATABASE_URL set?" : ".";
    throw new PawlError(
      "config",
      `pgBossEngine() needs either \`connectionString\` or \`boss\`, e.g. pgBossEngine({ connectionString: process.env.DATABASE_URL })${reason}`,
    );
  }
}
