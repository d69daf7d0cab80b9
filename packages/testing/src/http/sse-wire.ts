import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { playEvents } from "../base/play-events.ts";
import type { Reply } from "../base/reply.ts";
import type { Wire } from "../base/wire.ts";

/** Streams an answer's events to the client. If the reply has a fault, breaks the stream accordingly. */
export async function sendEvents<E>(
  response: ServerResponse,
  wire: Wire<E>,
  { reply, events }: { reply: Reply; events: readonly E[] },
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
    for await (const step of playEvents(reply, events, gone.signal, wire.errorOf)) {
      if ("stall" in step) return;
      if ("error" in step) {
        response.end(wire.errorText(step.error));
        return;
      }
      if ("cut" in step) {
        if (step.cut === "ended") response.end();
        else await loseConnection(response);
        return;
      }
      if (!response.write(wire.eventText(step.event, n)))
        await once(response, "drain", { signal: gone.signal });
      n += 1;
    }
    response.end();
  } catch (error) {
    if (!gone.signal.aborted) throw error;
  }
}

/** Drops the connection after everything that was written has been sent, so that the client gets it. */
async function loseConnection(response: ServerResponse): Promise<void> {
  await new Promise((resolve) => response.write("", resolve));
  response.destroy();
}
