/**
 * Reads the body of a request or a response as text. If the body has more than `maxBytes`, or its
 * `content-length` says so, cancels the rest and resolves to `undefined`. Rejects if the body breaks off.
 *
 * @example
 * ```ts
 * import { readCapped } from "@pawl/core/tools";
 *
 * console.log(await readCapped(new Response("Hello"), 100)); // Hello
 * console.log(await readCapped(new Response("Hello"), 4)); // undefined
 * ```
 */
export async function readCapped(
  { body, headers }: Pick<Request, "body" | "headers">,
  maxBytes: number,
): Promise<string | undefined> {
  if (body === null) return "";
  const reader: ReadableStreamDefaultReader<Uint8Array> = body.getReader();
  const cancelRest = () => {
    reader.cancel().catch(() => undefined);
    return undefined;
  };
  if (Number(headers.get("content-length") ?? 0) > maxBytes) return cancelRest();
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    bytes += value.byteLength;
    if (bytes > maxBytes) return cancelRest();
    text += decoder.decode(value, { stream: true });
  }
}
