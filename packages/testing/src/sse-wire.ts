import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { errorBody } from "./api-error.ts";
import { playEvents } from "./play-events.ts";
import type { Reply } from "./reply.ts";
import type { WireEvent } from "./reply-events.ts";

/**
 * One event in the bytes of the real wire: a data line may carry spaces before its last brace. `n` is the event's number and
 * decides how many.
 */
export function wireText(event: WireEvent, n: number): string {
  if (event.type === "ping") return 'event: ping\ndata: {"type": "ping"}\n\n';
  const padding = " ".repeat((n * 7) % 16);
  return `event: ${event.type}\ndata: ${JSON.stringify(event).slice(0, -1)}${padding}}\n\n`;
}

/** Streams the events to the client, and breaks off where the reply's fault says so. */
export async function sendEvents(
  response: ServerResponse,
  reply: Reply,
  events: readonly WireEvent[],
  headers: { [name: string]: string },
): Promise<void> {
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  response.writeHead(200, {
    ...headers,
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-cache",
  });
  response.flushHeaders();
  let n = 0;
  try {
    for await (const step of playEvents(reply, events, gone.signal)) {
      if ("stall" in step) return;
      if ("error" in step) {
        response.end(`event: error\ndata: ${JSON.stringify(errorBody(step.error))}\n\n`);
        return;
      }
      if ("cut" in step) {
        if (step.cut === "ended") response.end();
        else await loseConnection(response);
        return;
      }
      if (!response.write(wireText(step.event, n))) await once(response, "drain", { signal: gone.signal });
      n += 1;
    }
    response.end();
  } catch (error) {
    if (!gone.signal.aborted) throw error;
  }
}

/** Drops the connection after what was written has left, so that the client sees those events first. */
async function loseConnection(response: ServerResponse): Promise<void> {
  await new Promise((resolve) => response.write("", resolve));
  response.destroy();
}
