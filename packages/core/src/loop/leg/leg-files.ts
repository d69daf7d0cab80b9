import type { NewEvent } from "../../log/event.ts";
import type { ModelClient, ModelRequest } from "../../model/model-client.ts";

/** The parts of a leg that `LegFiles.keep` needs. */
export interface LegForFiles {
  readonly run: { readonly agent: { readonly storedResultLimit: number } };
  /** Replaces texts of the credentials in a value. */
  readonly access: { hide<T>(value: T): T };
}

/** Stores and reads the files of the session's user for a leg. */
export interface LegFiles {
  /**
   * Stores the pictures and PDFs in a tool result outside the log, and returns the event with references to
   * them. Cuts a result that is longer than the agent's `storedResultLimit`. Returns other events unchanged.
   */
  keep<E extends NewEvent>(event: E, leg: LegForFiles): Promise<E>;
  /**
   * Puts the bytes of files into a request, just before it is sent. Returns a request without files
   * unchanged, and not as a promise. Gives up when the signal of `life` aborts.
   */
  fill(
    request: ModelRequest,
    model: ModelClient,
    life: { readonly signal: AbortSignal },
  ): ModelRequest | Promise<ModelRequest>;
}
