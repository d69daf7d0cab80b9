import { ask, type PostgresJs, type Queryable } from "../database/queryable.ts";

/** The part of a `pg.Pool` that `postgresTail()` uses to listen: one separate connection. */
export interface ListeningPool extends Queryable {
  connect(): Promise<ListeningClient>;
}

/** One connection of a {@link ListeningPool}. */
export interface ListeningClient extends Queryable {
  on(event: "notification", listener: (message: { payload?: string | undefined }) => void): unknown;
  on(event: "error", listener: (error: Error) => void): unknown;
  on(event: "end", listener: () => void): unknown;
  release(destroy?: boolean): void;
}

/** The part of postgres.js that `postgresTail()` uses to listen. It reconnects by itself. */
export interface ListeningPostgresJs extends PostgresJs {
  listen(
    channel: string,
    onNotify: (payload: string) => void,
    onListen?: () => void,
  ): PromiseLike<{ unlisten(): Promise<unknown> }>;
}

/** The part of a PGlite that `postgresTail()` uses to listen. */
export interface ListeningPGlite extends Queryable {
  listen(channel: string, onNotify: (payload: string) => void): Promise<() => Promise<void>>;
}

/** A database that can listen for notifications: your pool of `pg`, `postgres` (postgres.js), or a PGlite. */
export type ListeningDatabase = ListeningPool | ListeningPostgresJs | ListeningPGlite;

/**
 * Listens to a channel until the returned function is called. Calls `heard` with each notification, and
 * `lost` if the connection is lost.
 */
export async function listen(
  db: ListeningDatabase,
  channel: string,
  { heard, lost }: { heard(payload: string): void; lost(): void },
): Promise<() => Promise<void>> {
  if ("connect" in db) return await listenOnClient(await db.connect(), channel, { heard, lost });
  if ("unsafe" in db) {
    // Called again after each reconnect; notifications may have been missed before it.
    let times = 0;
    const onListen = () => {
      times += 1;
      if (times > 1) lost();
    };
    const { unlisten } = await db.listen(channel, heard, onListen);
    return async () => {
      await unlisten();
    };
  }
  return await db.listen(channel, heard);
}

async function listenOnClient(
  client: ListeningClient,
  channel: string,
  { heard, lost }: { heard(payload: string): void; lost(): void },
): Promise<() => Promise<void>> {
  let released = false;
  const release = async () => {
    if (!released) client.release(true);
    released = true;
  };
  client.on("notification", ({ payload }) => heard(payload ?? ""));
  client.on("error", lost);
  client.on("end", lost);
  try {
    await ask(client, `LISTEN "${channel.replaceAll('"', '""')}"`);
  } catch (error) {
    await release();
    throw error;
  }
  return release;
}
