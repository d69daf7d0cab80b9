export { type EmbeddedOptions, type EmbeddedStore, embeddedStore } from "./embedded/embedded-store.ts";
