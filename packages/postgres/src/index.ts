export { type Migration, migrate, migrations } from "./migrate.ts";
export { postgresBlobs } from "./postgres-blobs.ts";
export { postgresStore } from "./postgres-store.ts";
export type { Queryable } from "./queryable.ts";
