/** Every entry of every package. consumer.mjs replaces this file; this one is for the editor. */
export const entries: Record<string, object> = {};
