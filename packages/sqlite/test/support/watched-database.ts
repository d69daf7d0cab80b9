import { DatabaseSync } from "node:sqlite";
import { onTestFinished } from "vitest";
import { type NodeDatabase, nodeSqlite, sqliteStore } from "../../src/index.ts";
import { newPath } from "./databases.ts";

/** What a test sees of a database. */
interface Seen {
  commits: number;
  /** Called with the SQL before each statement. */
  before(sql: string): void;
}

/** A store over a new file that has the sessions `s` and `t`, on a connection of the test's with WAL. */
export async function watchedStore() {
  const path = newPath();
  const raw = new DatabaseSync(path, { timeout: 20 });
  let isClosed = false;
  const close = () => {
    if (!isClosed) raw.close();
    isClosed = true;
  };
  onTestFinished(close);
  raw.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
  const seen: Seen = { commits: 0, before: () => undefined };
  const look = (sql: string) => {
    seen.before(sql);
    if (sql === "COMMIT") seen.commits += 1;
  };
  const watched: NodeDatabase = {
    exec(sql) {
      look(sql);
      raw.exec(sql);
    },
    prepare(sql) {
      const statement = raw.prepare(sql);
      return {
        all(...values) {
          look(sql);
          return statement.all(...values);
        },
      };
    },
    close,
  };
  const db = nodeSqlite(watched);
  const store = sqliteStore(db);
  for (const id of ["s", "t"]) await store.sessions.create({ id, userId: "u", agent: "a" });
  seen.commits = 0;
  return { path, raw, db, store, seen };
}

/** An event with a text. */
export const note = (text: string) => ({ type: "note", data: { text } }) as const;
