/** Every entry of every package. This stands in for the file that consumer.mjs writes. */
export const entries: Record<string, object> = {};
