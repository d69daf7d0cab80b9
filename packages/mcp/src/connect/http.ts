import { LOST, TOO_LARGE } from "../base/failure.ts";
import type { Transport } from "./sdk.ts";

type Message = Parameters<Transport["send"]>[0];

/** Builds the transport of a server over streamable HTTP. */
export interface HttpTarget {
  url: URL;
  headers: Readonly<Record<string, string>>;
  fetch: typeof fetch;
  maxResponseBytes: number;
}

/**
 * Makes a transport fail a request whose stream ends without an answer. The SDK would wait until the
 * request's time limit (typescript-sdk #2739).
 */
export function failingFast(transport: Transport): Transport {
  const open = new Set<string | number>();
  const send = transport.send.bind(transport);
  let receive: Transport["onmessage"];
  Object.defineProperty(transport, "onmessage", {
    configurable: true,
    get: () => receive,
    set: (handler: Transport["onmessage"]) => {
      receive =
        handler &&
        ((message, extra) => {
          if ("id" in message && !("method" in message)) open.delete(message.id as string | number);
          handler(message, extra);
        });
    },
  });
  transport.send = (message, options) => {
    const id = idOf(message);
    if (id === undefined) return send(message, options);
    open.add(id);
    const onRequestStreamEnd = () => {
      if (open.has(id)) receive?.(errorFor(id, "The stream ended without an answer.", LOST));
    };
    return send(message, { ...options, onRequestStreamEnd }).catch((error: unknown) => {
      open.delete(id);
      throw error;
    });
  };
  return transport;
}

function idOf(message: Message): string | number | undefined {
  return "method" in message && "id" in message ? (message.id as string | number) : undefined;
}

function errorFor(id: string | number, text: string, reason: string): Message {
  return { jsonrpc: "2.0", id, error: { code: -32_000, message: text, data: { reason } } } as Message;
}

/**
 * Returns a fetch that limits the size of responses, and refuses the stream that older servers offer for
 * notifications: nothing here needs them, and the open request would keep the process running.
 */
export function boundedFetch(target: HttpTarget, tooLarge: (id: string | number, text: string) => void) {
  return async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const headers = new Headers(init.headers);
    if (init.method === "GET" && !headers.has("last-event-id")) return new Response(null, { status: 405 });
    const response = await target.fetch(input, init);
    const { body } = response;
    if (body === null) return response;
    let left = target.maxResponseBytes;
    const limited = body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          left -= chunk.byteLength;
          if (left >= 0) return controller.enqueue(chunk);
          const text = `The response is longer than ${target.maxResponseBytes} bytes.`;
          const id = requestId(init.body);
          if (id !== undefined) tooLarge(id, text);
          controller.error(new Error(text));
        },
      }),
    );
    const { status, statusText } = response;
    return new Response(limited, { status, statusText, headers: response.headers });
  };
}

function requestId(body: unknown): string | number | undefined {
  try {
    return typeof body === "string" ? JSON.parse(body).id : undefined;
  } catch {
    return undefined;
  }
}

/** Returns a function that answers a request with the error that its response is too large. */
export function refuseTooLarge(transport: () => Transport | undefined) {
  return (id: string | number, text: string): void => transport()?.onmessage?.(errorFor(id, text, TOO_LARGE));
}
