import { LOST, TOO_LARGE } from "../base/failure.ts";
import { countedResponse } from "./counted-response.ts";
import type { Transport } from "./sdk.ts";
import type { SessionStream } from "./session-stream.ts";
import type { Traffic } from "./traffic.ts";
import { errorFor } from "./watched.ts";

/** Builds the transport of a server over streamable HTTP. */
export interface HttpTarget {
  url: URL;
  headers: Readonly<Record<string, string>>;
  fetch: typeof fetch;
  maxResponseBytes: number;
}

/** Fails a request, if it is still open. `reason` is that of `errorFor()`. */
export type Refuse = (id: string | number, text: string, reason: string) => void;

/**
 * Returns a fetch that limits responses: their size, and the events of a stream. A stream that broke off is
 * resumed twice, while its request is open. `session` is the stream that belongs to no request; without it,
 * the server is not asked for one.
 */
export function boundedFetch(
  target: HttpTarget,
  traffic: Traffic,
  refuse: Refuse,
  session: () => Pick<SessionStream, "fetch"> | undefined = () => undefined,
) {
  const limited = limitedFetch(target, traffic);
  return async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const isStream = init.method === "GET";
    const token = new Headers(init.headers).get("last-event-id");
    const id = isStream ? traffic.ofToken(token ?? "") : requestId(init.body);
    const refuseIt = (text: string, reason: string): void => {
      if (id !== undefined) refuse(id, text, reason);
    };
    if (!isStream) return await limited(input, init, refuseIt);
    if (id === undefined) return (await session()?.fetch(input, init)) ?? new Response(null, { status: 405 });
    return traffic.mayResume(id) ? await limited(input, init, refuseIt) : new Response(null, { status: 405 });
  };
}

/** Returns a fetch with limits. `refuse` gets what is wrong, and a reason of `errorFor()`. */
export function limitedFetch(target: HttpTarget, traffic: Traffic) {
  return async (
    input: string | URL | Request,
    init: RequestInit,
    refuse: (text: string, reason: string) => void,
  ): Promise<Response> => {
    const response = await target.fetch(input, init);
    const limited = limitedResponse(response, target.maxResponseBytes, (text) => refuse(text, TOO_LARGE));
    return countedResponse(limited, traffic, (text) => refuse(text, LOST));
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

/** Returns a function that answers a request with an error in place of its response. */
export function refuseBy(transport: () => Transport | undefined): Refuse {
  return (id, text, reason) => transport()?.onmessage?.(errorFor(id, text, reason));
}
