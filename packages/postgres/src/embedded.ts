export { type EmbeddedOptions, type EmbeddedStore, embeddedStore } from "./embedded/embedded-store.ts";
export { newDatabase } from "./embedded/new-database.ts";
