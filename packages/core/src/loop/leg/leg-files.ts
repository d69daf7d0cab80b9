import type { ModelFailure } from "../../base/errors.ts";
import type { NewEvent } from "../../log/event.ts";
import type { ModelClient, ModelRequest } from "../../model/model-client.ts";
import type { SessionState } from "../../session/state.ts";

/** The parts of a leg that decide what is stored of a result. */
export interface Keeping {
  readonly run: { readonly agent: { readonly storedResultLimit: number } };
  /** Replaces texts of the credentials. */
  readonly access: { hide<T>(value: T): T };
}

/** The files of the session's user, as a leg needs them. */
export interface LegFiles {
  /**
   * Stores the pictures and PDFs in a tool result outside the log, and returns the event with references to
   * them. What is longer than the agent's `storedResultLimit` is cut. Returns other events unchanged.
   */
  keep<E extends NewEvent>(event: E, leg: Keeping): Promise<E>;
  /**
   * Puts the bytes of files into a request, just before it is sent. Returns a request without files itself.
   * Gives up when the signal of `life` aborts.
   */
  fill(
    request: ModelRequest,
    model: ModelClient,
    life: { readonly signal: AbortSignal },
  ): ModelRequest | Promise<ModelRequest>;
  /**
   * Returns the events of a checkpoint that replaces the files since the model's last answer, if a request
   * failed because of them; otherwise an empty list. `uptoSeq` is the last event of the request.
   */
  leaveOut(
    state: SessionState,
    failure: ModelFailure & { message: string },
    uptoSeq: number,
  ): Promise<NewEvent[]>;
}
