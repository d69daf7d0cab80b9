import { refusal } from "./wire-error.ts";

/**
 * The body of a request as JSON, read only as far as it may be long.
 *
 * @throws HTTPException 415 for another content type, 413 for too many bytes, 400 for what is no JSON.
 */
export async function readJson(request: Request, maxBytes: number): Promise<unknown> {
  const type = request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  if (type !== "application/json") {
    throw refusal(415, "invalid_input", "Send JSON, with the content type application/json.");
  }
  if (Number(request.headers.get("content-length") ?? 0) > maxBytes) throw tooLarge(maxBytes);
  const text = await readText(request.body, maxBytes);
  try {
    return JSON.parse(text);
  } catch {
    throw refusal(400, "invalid_input", "The body is not valid JSON.");
  }
}

async function readText(body: Request["body"], maxBytes: number): Promise<string> {
  if (body === null) return "";
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw tooLarge(maxBytes);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

/** The rest of the body is not read, so that the connection cannot be used again. */
function tooLarge(maxBytes: number) {
  return refusal(413, "too_large", `The body may have at most ${maxBytes} bytes.`, { connection: "close" });
}
