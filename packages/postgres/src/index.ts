export { type CopiedLog, type CopyOptions, copyLog } from "./copy-log.ts";
export type {
  ListeningClient,
  ListeningDatabase,
  ListeningPGlite,
  ListeningPool,
  ListeningPostgresJs,
} from "./listener.ts";
export { type Migration, migrate, migrationFiles, migrations } from "./migrate.ts";
export { postgresBlobs } from "./postgres-blobs.ts";
export { postgresReservations } from "./postgres-reservations.ts";
export { postgresStore } from "./postgres-store.ts";
export { type PostgresTail, type PostgresTailOptions, postgresTail } from "./postgres-tail.ts";
export { type Pruned, type PruneOptions, prune } from "./prune.ts";
export type { Database, PostgresJs, Queryable } from "./queryable.ts";
