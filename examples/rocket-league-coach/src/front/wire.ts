import type { HandlerOptions } from "@pawl/sse";
import { asp } from "@pawl/sse/dialects";

type Serving = "dialect" | "expose" | "maxInputLength" | "onClientGone" | "rateLimit";

/** How clients reach the coach: the path, the protocol, and the names of its fields. */
export interface Wire extends Pick<HandlerOptions, Serving> {
  path: string;
  names: { message: string; sessionId: string; messageId: string };
}

/** Options of `pageHandler()`. */
export interface PageOptions extends Pick<HandlerOptions, "expose" | "maxInputLength" | "rateLimit"> {
  /** The whole path before `/runs` and `/sessions`, e.g. `/api/rocket-league`. */
  path: string;
}

/** ASP v2, at `/api/coach`. */
export const ASP: Wire = {
  path: "/api/coach",
  names: { message: "message", sessionId: "session_id", messageId: "client_message_id" },
  dialect: asp(),
  maxInputLength: 10_000,
  // A stopped run is charged for its use, and the messages so far are kept.
  onClientGone: "stop",
};

/** The native protocol. A run continues while its page is reloaded. */
export function pageWire({ maxInputLength = 10_000, ...options }: PageOptions): Wire {
  const names = { message: "input", sessionId: "sessionId", messageId: "clientMessageId" };
  return { ...options, maxInputLength, names, onClientGone: "continue" };
}
