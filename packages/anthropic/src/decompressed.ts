import type { Answer } from "./answer.ts";
import type { Chunk } from "./chunk-queue.ts";

/** The names of HTTP for what `DecompressionStream` can read. Some runtimes lack the last one. */
const FORMATS: Readonly<Record<string, string>> = {
  gzip: "gzip",
  "x-gzip": "gzip",
  deflate: "deflate",
  br: "brotli",
};

/**
 * Returns a function that reads a compressed body packet by packet. No request asks for compression, but some
 * gateways compress all the same. Returns `read` for an encoding that is unknown here.
 */
export function decompressed(read: Answer["read"], encoding: string): Answer["read"] {
  const decompression = decompressionOf(encoding.trim().toLowerCase());
  if (decompression === undefined) return read;
  const raw = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      const { done, value } = await read();
      if (done) controller.close();
      else controller.enqueue(value as Uint8Array<ArrayBuffer>);
    },
  });
  const reader = raw.pipeThrough(decompression).getReader();
  return async () => (await reader.read()) as Chunk;
}

function decompressionOf(encoding: string): DecompressionStream | undefined {
  if (!Object.hasOwn(FORMATS, encoding)) return undefined;
  try {
    return new DecompressionStream(FORMATS[encoding] as ConstructorParameters<typeof DecompressionStream>[0]);
  } catch {
    return undefined;
  }
}
