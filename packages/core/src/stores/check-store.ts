import { kindOf } from "../base/check-options.ts";
import { PawlError } from "../base/errors.ts";
import type { EventStore } from "../log/store/event-store.ts";

/**
 * Checks that a value is a store. @throws PawlError `config` with `where`, which names the value, in its text
 */
export function checkStore(where: string, store: unknown): asserts store is EventStore {
  if (typeof Object(store).append === "function") return;
  throw new PawlError("config", `${where} must be an EventStore, e.g. memoryStore(); got ${kindOf(store)}.`);
}
