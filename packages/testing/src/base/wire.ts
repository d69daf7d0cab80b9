import type { IncomingHttpHeaders } from "node:http";
import type { ApiError } from "./api-error.ts";
import type { ErrorOfStatus } from "./play-events.ts";
import type { Reply } from "./reply.ts";

/** The HTTP protocol of one simulated API. `E` is an event of its streams. */
export interface Wire<E> {
  /** The path that requests for an answer use, e.g. `/v1/messages`. */
  path: string;
  requestId(newId: (prefix: string) => string): string;
  checkHeaders(headers: IncomingHttpHeaders, apiKeys: readonly string[] | undefined): ApiError | undefined;
  /** Returns the headers of every response. */
  headers(requestId: string): { [name: string]: string };
  /** The error for a body that is not valid JSON. */
  notJson: ApiError;
  errorOf: ErrorOfStatus;
  errorBody(error: ApiError, requestId: string): unknown;
  /** Returns an event as the text that is sent. `n` is the event's index in the stream. */
  eventText(event: E, n: number): string;
  /** Returns the text of an error in the middle of a stream. */
  errorText(error: ApiError): string;
}

/** An invalid request, and the error with which the simulator refused it. */
export interface Rejection {
  /** Why the request was refused. */
  error: ApiError;
  /** The body of the request. */
  body: unknown;
}

/** The answer to a valid request, ready to be sent. */
export interface Answer<E> {
  reply: Reply;
  events: E[];
  message: { [field: string]: unknown };
  /** Call this when the answer begins. From then on, later requests can read the prompt from the cache. */
  begin(): void;
}

/** Validates requests and prepares their answers, for the HTTP server and the in-process model. */
export interface Judge<E> {
  rejected: Rejection[];
  newId: (prefix: string) => string;
  /**
   * Validates a request and prepares its answer. Resolves to an error if the request is invalid.
   *
   * @throws Error if the script has no reply left.
   */
  answer(body: unknown): Promise<Answer<E> | ApiError>;
}
