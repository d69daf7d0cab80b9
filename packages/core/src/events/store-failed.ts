import { PawlError } from "../errors.ts";

/** Whether the store failed, or refuses us: then nothing can be stored about it either, and recovery settles the rest. */
export function storeFailed(error: unknown): boolean {
  return PawlError.is(error, "store_unavailable") || PawlError.is(error, "forbidden");
}
