import { ask, type PostgresJs, type Queryable } from "../database/queryable.ts";

/** The part of a `pg.Pool` that listening uses: a dedicated connection. */
export interface ListeningPool extends Queryable {
  connect(): Promise<ListeningClient>;
}

/** A connection taken out of a {@link ListeningPool}. */
export interface ListeningClient extends Queryable {
  on(event: "notification", listener: (message: { payload?: string | undefined }) => void): unknown;
  on(event: "error", listener: (error: Error) => void): unknown;
  on(event: "end", listener: () => void): unknown;
  release(destroy?: boolean): void;
}

/** The part of postgres.js that listening uses. It reconnects by itself. */
export interface ListeningPostgresJs extends PostgresJs {
  listen(
    channel: string,
    onNotify: (payload: string) => void,
    onListen?: () => void,
  ): PromiseLike<{ unlisten(): Promise<unknown> }>;
}

/** The part of a PGlite that listening uses. */
export interface ListeningPGlite extends Queryable {
  listen(channel: string, onNotify: (payload: string) => void): Promise<() => Promise<void>>;
}

/** Your own pool that can listen: `pg`, `postgres` (postgres.js), or a PGlite. */
export type ListeningDatabase = ListeningPool | ListeningPostgresJs | ListeningPGlite;

/** Listens until the returned function is called. Calls `lost` when the connection is lost. */
export async function listen(
  db: ListeningDatabase,
  channel: string,
  { heard, lost }: { heard(payload: string): void; lost(): void },
): Promise<() => Promise<void>> {
  if ("connect" in db) return await listenOnClient(await db.connect(), channel, { heard, lost });
  if ("unsafe" in db) {
    // After a reconnect, notifications may have been missed.
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
