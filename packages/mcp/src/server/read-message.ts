import type { Json } from "@pawl/core";
import { excessOf, type JsonBounds, readCapped } from "@pawl/core/tools";
import { objectIn } from "../base/json.ts";

/**
 * What a message may have at most. No client needs more, and the SDK's validation takes about 4 µs and 100
 * bytes for each value.
 */
const BOUNDS: JsonBounds = { levels: 100, values: 10_000 };

/**
 * Reads the message of a `POST`, before the SDK validates it. Returns a `Response` that refuses it, as
 * JSON-RPC does: 415 for a compressed one, 413 for one of more than `maxBytes`, 400 for what is no JSON, has
 * more than 10,000 values or 100 levels, or a name of more than 4,000 characters. Returns `{}` for a request
 * without a message, or of another content type, which the SDK answers.
 */
export async function readMessage(
  request: Request,
  maxBytes: number,
): Promise<Response | { parsedBody?: unknown }> {
  const { method, headers } = request;
  const coding = inLowerCase(headers.get("content-encoding"));
  // What a compressed body inflates to has no limit.
  if (coding !== "" && coding !== "identity")
    return refusal(415, -32_700, "Send the body without compression.", { "accept-encoding": "identity" });
  const type = inLowerCase(headers.get("content-type")?.split(";")[0]);
  if (method !== "POST" || type !== "application/json") return {};
  let parsedBody: unknown;
  try {
    const text = await readCapped(request, maxBytes);
    if (text === undefined)
      return refusal(413, -32_000, `The body may have at most ${maxBytes} bytes.`, { connection: "close" });
    parsedBody = JSON.parse(text);
  } catch {
    return refusal(400, -32_700, "The body is no valid JSON, or it broke off.");
  }
  const excess = excessOf(parsedBody, BOUNDS);
  if (excess !== undefined)
    return refusal(400, -32_600, `A message may have at most ${BOUNDS[excess]} ${excess}.`);
  const long = longName(parsedBody as Json);
  if (long === undefined) return { parsedBody };
  return refusal(400, -32_600, `\`${long}\` may have at most ${MOST_NAME_CHARS} characters of JSON.`);
}

/** The longest name of what a message is about, in characters of JSON. */
// The SDK repeats it in its errors, even twice.
const MOST_NAME_CHARS = 4_000;

function longName(message: Json): string | undefined {
  const { method, params } = objectIn(message);
  const { name, taskId, uri } = objectIn(params);
  const names = Object.entries({ method, name, taskId, uri });
  return names.find(
    ([, text]) => typeof text === "string" && JSON.stringify(text).length > MOST_NAME_CHARS,
  )?.[0];
}

const inLowerCase = (header: string | null | undefined) => header?.trim().toLowerCase() ?? "";

function refusal(
  status: number,
  code: number,
  message: string,
  headers: Record<string, string> = {},
): Response {
  return Response.json({ jsonrpc: "2.0", id: null, error: { code, message } }, { status, headers });
}
