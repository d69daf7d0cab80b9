/** A public key of the project's key set. */
export interface PublicKey {
  kid: string;
  kty: string;
  [member: string]: unknown;
}

export interface KeySetOptions {
  url: string;
  fetch: typeof fetch;
  now(): number;
  timeoutMs: number;
}

/** Milliseconds after which the keys are loaded again, because one may have been revoked. */
const FRESH_MS = 10 * 60_000;
/**
 * Milliseconds for which an unknown key does not cause another request. Supabase publishes a new key well
 * before it signs tokens with it.
 */
const UNKNOWN_MS = 30_000;
/** Milliseconds for which a failed request is not repeated. Its error is thrown again instead. */
const FAILED_MS = 1_000;

/**
 * Returns a function that finds a public key of the project by its id; `undefined` if none exists. Unknown
 * ids cause at most one request in {@link UNKNOWN_MS}, because anybody can send tokens with invented ids.
 *
 * @throws the request's error if the keys cannot be loaded.
 */
export function keySet({
  url,
  fetch,
  now,
  timeoutMs,
}: KeySetOptions): (kid: string) => Promise<PublicKey | undefined> {
  let keys = new Map<string, PublicKey>();
  let loadedAt = Number.NEGATIVE_INFINITY;
  let failure: { error: unknown; at: number } | undefined;
  let loading: Promise<void> | undefined;

  const load = async (): Promise<void> => {
    try {
      const response = await fetch(url, {
        signal: AbortSignal.timeout(timeoutMs),
        headers: { accept: "application/json" },
      });
      if (!response.ok) throw new Error(`The key set answered ${response.status}.`);
      keys = readKeys(await response.json());
      loadedAt = now();
      failure = undefined;
    } catch (error) {
      failure = { error, at: now() };
      throw error;
    } finally {
      loading = undefined;
    }
  };

  return async (kid) => {
    const key = keys.get(kid);
    const age = now() - loadedAt;
    if (age < (key === undefined ? UNKNOWN_MS : FRESH_MS)) return key;
    if (failure !== undefined && now() - failure.at < FAILED_MS) throw failure.error;
    loading ??= load();
    await loading;
    return keys.get(kid);
  };
}

function readKeys(body: unknown): Map<string, PublicKey> {
  const { keys } = (body ?? {}) as { keys?: unknown };
  if (!Array.isArray(keys)) throw new Error("The key set has no keys.");
  const usable = keys.filter(
    (key): key is PublicKey => typeof key?.kid === "string" && (key.kty === "EC" || key.kty === "RSA"),
  );
  return new Map(usable.map((key) => [key.kid, key]));
}
