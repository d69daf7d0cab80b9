import { errorBody, errorOfStatus, invalid } from "../base/api-error.ts";
import type { WireEvent } from "../base/reply-events.ts";
import type { Wire } from "../base/wire.ts";
import { checkHeaders } from "./check-headers.ts";

/** The HTTP protocol of the Messages API. */
export const messagesWire: Wire<WireEvent> = {
  path: "/v1/messages",
  requestId: (newId) => newId("req_01"),
  checkHeaders,
  headers: (requestId) => ({
    "request-id": requestId,
    "anthropic-organization-id": "00000000-0000-4000-8000-000000000000",
  }),
  // The real API's message continues with the error of its parser.
  notJson: invalid("The request body is not valid JSON"),
  errorOf: errorOfStatus,
  errorBody,
  eventText: wireText,
  errorText: (error) => `event: error\ndata: ${JSON.stringify(errorBody(error))}\n\n`,
};

/**
 * Returns an event as the Messages API writes it: a data line may have spaces before its last brace. `n`
 * decides how many.
 */
function wireText(event: WireEvent, n: number): string {
  if (event.type === "ping") return 'event: ping\ndata: {"type": "ping"}\n\n';
  const padding = " ".repeat((n * 7) % 16);
  return `event: ${event.type}\ndata: ${JSON.stringify(event).slice(0, -1)}${padding}}\n\n`;
}
