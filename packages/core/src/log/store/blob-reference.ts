/**
 * Stands for a payload that is stored as a blob. `$blob` is the blob's id, the SHA-256 of the payload's JSON
 * text; `bytes` is the length of that text in UTF-8.
 */
export interface BlobReference {
  $blob: string;
  bytes: number;
}

/** Returns the data as a blob reference; `undefined` if it is not one. */
export function referenceOf(data: unknown): BlobReference | undefined {
  if (typeof data !== "object" || data === null || !("$blob" in data)) return undefined;
  const { $blob, bytes } = data as BlobReference;
  const hasFields = /^[0-9a-f]{64}$/.test(String($blob)) && typeof bytes === "number";
  return hasFields && Object.keys(data).length === 2 ? { $blob, bytes } : undefined;
}
