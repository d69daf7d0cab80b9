import type { NewEvent } from "../log/event.ts";
import type { ModelClient, ModelRequest } from "../model/model-client.ts";

/** The files of the session's user, as a leg needs them. */
export interface LegFiles {
  /**
   * Stores the pictures and PDFs in a tool result outside the log, and returns the event with references to
   * them. Returns other events unchanged.
   */
  keep<E extends NewEvent>(event: E): Promise<E>;
  /** Puts the bytes of files into a request, just before it is sent. */
  fill(request: ModelRequest, model: ModelClient): Promise<ModelRequest>;
}
