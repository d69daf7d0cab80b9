import type { IncomingHttpHeaders } from "node:http";
import type { ApiError } from "./api-error.ts";
import type { ErrorOfStatus } from "./play-events.ts";
import type { Reply } from "./reply.ts";

/** The specifics of one API over HTTP. `E` is one event of its streams. */
export interface Wire<E> {
  /** Where requests go, e.g. `/v1/messages`. */
  path: string;
  requestId(newId: (prefix: string) => string): string;
  checkHeaders(headers: IncomingHttpHeaders, apiKeys: readonly string[] | undefined): ApiError | undefined;
  /** Headers of every answer. */
  headers(requestId: string): { [name: string]: string };
  /** The error for a body that is not JSON. */
  notJson: ApiError;
  errorOf: ErrorOfStatus;
  errorBody(error: ApiError, requestId: string): unknown;
  /** An event as the text of the real wire; `n` is its number. */
  eventText(event: E, n: number): string;
  /** An error within a stream. */
  errorText(error: ApiError): string;
}

/** A request the simulator refused because it was invalid. */
export interface Rejection {
  error: ApiError;
  body: unknown;
}

/** A valid request's answer, ready to be sent. */
export interface Answer<E> {
  reply: Reply;
  events: E[];
  message: { [field: string]: unknown };
  /** Call it when the answer begins: from then on its prompt can be read from the cache. */
  begin(): void;
}

/** Validates requests and prepares their answers, over HTTP or in process. */
export interface Judge<E> {
  rejected: Rejection[];
  newId: (prefix: string) => string;
  /**
   * Validates a request and prepares its answer.
   *
   * @throws Error when the script has no reply left.
   */
  answer(body: unknown): Promise<Answer<E> | ApiError>;
}
