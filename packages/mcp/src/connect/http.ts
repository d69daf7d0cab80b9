import { TOO_LARGE } from "../base/failure.ts";
import type { Transport } from "./sdk.ts";
import { errorFor } from "./watched.ts";

/** Builds the transport of a server over streamable HTTP. */
export interface HttpTarget {
  url: URL;
  headers: Readonly<Record<string, string>>;
  fetch: typeof fetch;
  maxResponseBytes: number;
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
    return limitedResponse(response, target.maxResponseBytes, (text) => {
      const id = requestId(init.body);
      if (id !== undefined) tooLarge(id, text);
    });
  };
}

/** Returns the response with a body that fails after so many bytes. `onExcess` gets the error's text. */
export function limitedResponse(
  response: Response,
  maxBytes: number,
  onExcess: (text: string) => void = () => undefined,
): Response {
  const { body, status, statusText, headers } = response;
  if (body === null) return response;
  let left = maxBytes;
  const limited = body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        left -= chunk.byteLength;
        if (left >= 0) return controller.enqueue(chunk);
        const text = `The response is longer than ${maxBytes} bytes.`;
        onExcess(text);
        controller.error(new Error(text));
      },
    }),
  );
  return new Response(limited, { status, statusText, headers });
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
