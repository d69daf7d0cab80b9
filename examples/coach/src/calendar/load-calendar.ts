import { open } from "node:fs/promises";

/** The largest calendar, in bytes. */
export const MAX_BYTES = 5_000_000;

/** How long a download may take, in milliseconds. */
export const LOAD_MS = 10_000;

/**
 * Loads an iCalendar file from a path, or from an http or https URL. The address of a calendar is often its
 * only secret, so no error contains it.
 *
 * @throws Error if it cannot be loaded, is larger than {@link MAX_BYTES}, or takes longer than
 *   {@link LOAD_MS}.
 */
export async function loadCalendar(source: string, fetched: typeof fetch = fetch): Promise<string> {
  return isUrl(source) ? await download(new URL(source), fetched) : await read(source);
}

/** Checks whether a source is an http or https URL, and not a path. */
export function isUrl(source: string): boolean {
  return /^https?:\/\//i.test(source) && URL.canParse(source);
}

async function read(path: string): Promise<string> {
  const file = await open(path);
  try {
    if ((await file.stat()).size > MAX_BYTES) throw tooLarge();
    return await file.readFile("utf8");
  } finally {
    await file.close();
  }
}

async function download(url: URL, fetched: typeof fetch): Promise<string> {
  const signal = AbortSignal.timeout(LOAD_MS);
  const response = await fetched(url, { signal, headers: { accept: "text/calendar" } }).catch(() => {
    throw new Error(`${url.hostname} cannot be reached.`);
  });
  if (!response.ok) {
    await response.body?.cancel();
    throw new Error(`${url.hostname} answers with ${response.status}.`);
  }
  return await textOf(response).catch((error: unknown) => {
    throw signal.aborted ? new Error(`The download takes longer than ${LOAD_MS} ms.`) : error;
  });
}

/** Reads a body, and stops as soon as it is too large. */
async function textOf({ body }: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > MAX_BYTES) throw tooLarge();
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

function tooLarge(): Error {
  return new Error(`It is larger than ${MAX_BYTES} bytes.`);
}
