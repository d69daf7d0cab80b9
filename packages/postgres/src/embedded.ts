export { type EmbeddedOptions, type EmbeddedStore, embeddedStore } from "./embedded/embedded-store.ts";
export { writeDatabase } from "./embedded/new-database.ts";
