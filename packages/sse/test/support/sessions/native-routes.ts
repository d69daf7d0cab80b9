import type { SessionEvent } from "@pawl/core";
import { type Cursor, parseCursor } from "@pawl/core/view";
import { asTheyCome, logAt } from "./log.ts";
import type { LogServer } from "./server.ts";

/** The routes of the native dialect for one page. Its streams stay open, as those of a session do. */
export class NativeRoutes {
  /** The last event that the page's streams have. */
  upto: number;
  readonly #server: LogServer;
  /** The stream that has sent all its events, and whose reader waits for more. */
  #waiting: object | undefined;

  constructor(server: LogServer) {
    this.#server = server;
    this.upto = server.at;
  }

  /** Whether the page has read all events that it gets. */
  get isIdle(): boolean {
    return this.#waiting !== undefined;
  }

  fetch = async (url: unknown, init: RequestInit = {}): Promise<Response> => {
    if (init.method === "POST") {
      const response = await this.#server.fetch(url, init);
      this.upto = Math.max(this.upto, this.#server.reached);
      return response;
    }
    if (!new URL(String(url)).pathname.endsWith("/stream"))
      return Response.json({ ...this.#server.session(this.upto).before, before: null });
    const from = parseCursor(new Headers(init.headers).get("last-event-id") ?? "");
    return this.#stream(from ?? { afterSeq: 0 }, init.signal as AbortSignal);
  };

  #stream(from: Cursor, signal: AbortSignal): Response {
    const { encode } = this.#server.encoder({ from });
    const frames = this.#after(from).flatMap(encode);
    const own = {};
    const body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          signal.addEventListener("abort", () => {
            if (this.#waiting === own) this.#waiting = undefined;
            controller.error(signal.reason);
          });
        },
        pull: (controller) => {
          const frame = frames.shift();
          if (frame === undefined) this.#waiting = own;
          else controller.enqueue(new TextEncoder().encode(frame));
        },
      },
      { highWaterMark: 0 },
    );
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  }

  /** The events after a cursor, with the text of the answers in which it lies, and which has begun. */
  #after({ afterSeq, live }: Cursor): SessionEvent[] {
    const { made, at } = this.#server;
    const first = live?.attempt ?? afterSeq + 1;
    const rest = made.rests.find((one) => one >= this.upto) ?? this.upto;
    const stored = logAt(made.log, Math.max(rest, at)).filter(({ seq }) => seq >= first);
    const events = asTheyCome(stored, made.cuts, at);
    const isLater = (event: SessionEvent) => "seq" in event && event.seq > this.upto;
    const end = events.findIndex(isLater);
    return events
      .slice(0, end === -1 ? events.length : end)
      .filter((event) => !("seq" in event) || event.seq > afterSeq);
  }
}
