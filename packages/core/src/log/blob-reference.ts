/**
 * What a row carries instead of a large payload: the SHA-256 of its text, which is its id, and its length.
 */
export interface BlobReference {
  $blob: string;
  bytes: number;
}

/** The reference that stands in the place of a payload, if it does. */
export function referenceOf(data: unknown): BlobReference | undefined {
  if (typeof data !== "object" || data === null || !("$blob" in data)) return undefined;
  const { $blob, bytes } = data as BlobReference;
  const ours = /^[0-9a-f]{64}$/.test(String($blob)) && typeof bytes === "number";
  return ours && Object.keys(data).length === 2 ? { $blob, bytes } : undefined;
}
