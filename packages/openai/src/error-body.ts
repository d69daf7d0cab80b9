import { type Fields, isFields } from "./chunk.ts";

/**
 * Returns the error in a response of a server, in OpenAI's form; `undefined` if it has none. Servers also
 * send it in a list (Gemini), as a text (Ollama), without the field `error` (Mistral, older vLLM), as
 * `detail` (gateways on FastAPI), or in a chunk (Groq).
 */
export function errorIn(body: unknown): Fields | undefined {
  const [first] = Array.isArray(body) ? body : [body];
  if (!isFields(first)) return undefined;
  if (isFields(first.error)) return first.error;
  const inChunk = isFields(first.x_groq) ? first.x_groq.error : undefined;
  if (first.error || inChunk) return { message: textOf(first.error || inChunk) };
  const isError = first.object === "error" || (first.choices === undefined && first.code !== undefined);
  if (isError && first.message) return { ...first, message: textOf(first.message) };
  return first.choices === undefined && first.detail ? { message: textOf(first.detail) } : undefined;
}

function textOf(message: unknown): string {
  return typeof message === "string" ? message : JSON.stringify(message);
}

type Fetch = (url: string | URL | Request, init?: RequestInit) => Promise<Response>;

/**
 * Makes a `fetch` whose failed responses have the error in OpenAI's form. The SDK drops the text of all
 * others.
 */
export function withErrorBodies(send: Fetch): Fetch {
  return async (url, init) => {
    const response = await send(url, init);
    if (response.ok || response.body === null) return response;
    const text = await response.text();
    const { status, statusText, headers } = response;
    return new Response(inOpenAIsForm(text), { status, statusText, headers });
  };
}

function inOpenAIsForm(text: string): string {
  try {
    const body: unknown = JSON.parse(text);
    const error = errorIn(body) ?? (isFields(body) && body.message ? body : undefined);
    return error === undefined ? text : JSON.stringify({ error });
  } catch {
    return text;
  }
}
