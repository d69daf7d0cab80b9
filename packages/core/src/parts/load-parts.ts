import type { Parts } from "../loop/leg/leg.ts";

// The module and not its promise: later steps do not wait for it, and a failed import is repeated.
let parts: Parts | undefined;

/** Loads the code that few runs need, in a chunk of its own. */
export async function loadParts(): Promise<Parts> {
  parts ??= await import("./index.ts");
  return parts;
}
