// The entry `@pawl/postgres`: the log, blobs and reservations on Postgres.

// Stores

export { postgresBlobs } from "./store/postgres-blobs.ts";
export { postgresReservations } from "./store/postgres-reservations.ts";
export { type PostgresStoreOptions, postgresStore } from "./store/postgres-store.ts";

// The schema

export { type Migration, migrate, migrationFiles, migrations } from "./migrations/migrate.ts";

// The live tail

export type {
  ListeningClient,
  ListeningDatabase,
  ListeningPGlite,
  ListeningPool,
  ListeningPostgresJs,
} from "./listening/listener.ts";
export { type PostgresTail, postgresTail } from "./live/postgres-tail.ts";
export type { PostgresTailOptions } from "./live/tail-options.ts";

// Maintenance

export { type CopiedLog, type CopyOptions, copyLog } from "./maintenance/copy-log.ts";
export { type Pruned, type PruneOptions, prune } from "./maintenance/prune.ts";

// Databases

export type { Database, PostgresJs, Queryable } from "./database/queryable.ts";
