import { PawlError } from "@pawl/core";
import { checkHeaders, safeText } from "../base/safe-error.ts";

/** The part of a supabase-js client that `supabaseFiles()` uses. */
export interface StorageClient {
  storage: { from(bucket: string): StorageBucket };
}

/** The part of `client.storage.from(bucket)` that `supabaseFiles()` uses. */
export interface StorageBucket {
  upload(
    path: string,
    body: Uint8Array<ArrayBuffer>,
    options: { contentType: string; cacheControl: string; upsert: boolean },
  ): PromiseLike<StorageAnswer<unknown>>;
  /** `options` has a `cacheNonce`, which older versions of supabase-js ignore. */
  download(
    path: string,
    options: object,
    parameters: { cache: "no-store" },
  ): PromiseLike<StorageAnswer<Blob>>;
  list(path: string, options: ListPage): PromiseLike<StorageAnswer<ListedEntry[]>>;
  remove(paths: string[]): PromiseLike<StorageAnswer<unknown[]>>;
  info(path: string): PromiseLike<StorageAnswer<unknown>>;
}

/** Which page of a folder to list. */
export interface ListPage {
  limit: number;
  offset: number;
  sortBy: { column: string; order: string };
}

/** An entry of a folder: a file, or a subfolder if `id` is `null`. */
export interface ListedEntry {
  name: string;
  id: string | null;
  updated_at: string | null;
  created_at: string | null;
  metadata: { [key: string]: unknown } | null;
}

/** The result of a call of supabase-js for Storage. */
export interface StorageAnswer<T> {
  data: T | null;
  error: unknown;
}

/**
 * The actual status and code of a failure. Storage often answers 400 and puts another status into the body.
 */
export interface StorageFailure {
  status: number | undefined;
  code: string | undefined;
}

/**
 * Runs a call of supabase-js and returns its data.
 *
 * @throws PawlError if the call throws or resolves to an error. The client's options decide which of the two
 * happens.
 */
export async function ask<T>(path: string, work: () => PromiseLike<StorageAnswer<T>>): Promise<T> {
  let error: unknown;
  try {
    const answer = await work();
    if (answer.error === null && answer.data !== null) return answer.data;
    error = answer.error;
  } catch (thrown) {
    error = thrown;
  }
  throw failureOf(error, path);
}

function failureOf(error: unknown, path: string): PawlError {
  const { status, code } = readFailure(error);
  if (status === undefined) checkHeaders(error);
  // The error itself may quote the request's headers, and so the key.
  const cause = Object.assign(new Error(safeText(error)), { status, code });
  const more = { cause, details: { path, status, code } };
  // A missing bucket must not be reported as a missing file. Older servers distinguish them only in the
  // message.
  const bucket = code === "NoSuchBucket" || /bucket/i.test(error instanceof Error ? error.message : "");
  if (code === "NoSuchKey" || (status === 404 && !bucket)) {
    return new PawlError("not_found", "There is no such file.", more);
  }
  if (status === 413 || code === "EntityTooLarge") {
    return new PawlError("invalid_input", "The file exceeds the bucket's size limit.", more);
  }
  if (status === 415 || code === "InvalidMimeType") {
    return new PawlError("invalid_input", "The bucket does not allow files of this type.", more);
  }
  const why = [status, code].filter((part) => part !== undefined).join(" ");
  return new PawlError(
    "store_unavailable",
    `The request to Storage failed${why === "" ? "" : ` (${why})`}.`,
    more,
  );
}

function readFailure(error: unknown): StorageFailure {
  const { status, statusCode, code } = (error ?? {}) as { [key: string]: unknown };
  const told = Number(statusCode);
  return {
    status: told >= 400 && told < 600 ? told : typeof status === "number" && status > 0 ? status : undefined,
    code: typeof code === "string" ? code : undefined,
  };
}
